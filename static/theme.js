// Before the first paint: theme, height and folding as they were chosen here, so that nothing flashes or moves.
// A classic script in the head, because a module waits for the whole page.

try {
  const { theme, height, folded } = JSON.parse(localStorage.getItem("toolcall-workbench.looks")) ?? {};
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (folded === true) document.documentElement.dataset.folded = "";
  if (height > 0) document.documentElement.style.setProperty("--panels-height", `${height}px`);
} catch {
  // No storage, or not what was written: the system decides.
}
