// Set up before the page's own script: what the browser tells of itself, and when a verdict stood on the screen.

window.observed = { verdict: 0, longest: 0, lcp: 0, cls: 0, inp: 0 };

(() => {
  const { observed } = window;
  let key = 0;

  function observe(type, see, options = {}) {
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true, ...options });
  }

  observe("largest-contentful-paint", ({ startTime }) => { observed.lcp = startTime; });
  observe("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) observed.cls += value; });
  observe("event", ({ interactionId, duration }) => {
    if (interactionId) observed.inp = Math.max(observed.inp, duration);
  }, { durationThreshold: 16 });
  observe("longtask", ({ duration }) => { observed.longest = Math.max(observed.longest, duration); });

  addEventListener("keydown", ({ timeStamp }) => { key = timeStamp; }, true);
  // A verdict stands when the page no longer says that it judges, and that has been painted.
  const judging = () => "judging" in document.getElementById("panels").dataset;
  let stood = [];
  new MutationObserver(() => {
    if (!stood.length || judging()) return;
    const waiting = stood;
    stood = [];
    requestAnimationFrame(() => setTimeout(() => {
      observed.verdict = performance.now() - key;
      for (const resolve of waiting) resolve();
    }));
  }).observe(document, { subtree: true, attributeFilter: ["data-judging"] });

  /** Resolve when the verdict of a judgement that has begun, or will, stands. Nothing polls meanwhile. */
  observed.stands = () => new Promise((resolve) => { stood.push(resolve); });

  observed.forget = () => { observed.longest = 0; };
  observed.page = () => {
    const loaded = performance.getEntriesByType("resource").filter(({ name }) => !name.endsWith("/panels"));
    const size = (entries) => entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const ends = (suffix) => loaded.filter(({ name }) => new URL(name).pathname.endsWith(suffix));
    return {
      ...observed,
      texts: size([...performance.getEntriesByType("navigation"), ...ends(".css")]),
      scripts: size(ends(".js")),
    };
  };
})();
