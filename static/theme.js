// Before the first paint: the theme that was chosen here, so that the other one does not flash.
// A classic script in the head, because a module waits for the whole page.

try {
  const { theme, height } = JSON.parse(localStorage.getItem("toolcall-workbench.looks")) ?? {};
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (height > 0) document.documentElement.style.setProperty("--panels-height", `${height}px`);
} catch {
  // No storage, or not what was written: the system decides.
}
