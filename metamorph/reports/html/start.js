// What happens when the page is read: theme, keys, links into the list.

function theme() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
  });
}

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const isOpen = byId("opened").open;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing) return;
  if (event.key === "/" && !isOpen) {
    event.preventDefault();
    byId("text").focus();
  } else if (event.key === "j" || event.key === "k") {
    const by = event.key === "j" ? 1 : -1;
    if (isOpen) openNeighbour(by);
    else {
      byId("list").focus({ preventScroll: false });
      move(by);
    }
  } else if (event.target === byId("list") && !isOpen) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      move(Math.max(-found.length, Math.min(found.length, steps[event.key])));
    } else if (event.key === "Enter" && selected >= 0) {
      event.preventDefault();
      open(found[selected]);
    }
  }
}

/** Links of figures and accounts set filters. */
function onLink(event) {
  const link = event.target.closest("a[data-result], a[data-reason]");
  if (!link) return;
  byId("filters").reset();
  for (const name of ["transform", "place", "result", "reason"]) {
    const value = link.dataset[name];
    if (value !== undefined) byId(name).value = value;
  }
  refresh();
}

function openNamed() {
  const named = /^#o=([\d:]+)$/.exec(location.hash);
  if (!named) return;
  const at = found.findIndex((item) => !isRefusal(item) && idOf(item) === named[1]);
  if (at < 0) return;
  selected = at;
  move(0);
  open(found[at]);
}

async function start() {
  theme();
  const list = byId("list");
  if (!list) return;
  if (typeof DecompressionStream === "undefined") {
    byId("found").textContent = "This browser is too old to unpack the outcomes; everything above stands.";
    return;
  }
  data = await unpack("index");
  fillFilters();
  drawHead();
  refresh();
  list.addEventListener("scroll", () => draw());
  addEventListener("resize", () => draw(true));
  byId("filters").addEventListener("input", (event) => {
    if (event.target.id === "sort") sortBy(event.target.value);
    else refresh();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(refresh));
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onLink);
  byId("opened").addEventListener("close", () => {
    openedItem = -1;
    history.replaceState(null, "", "#outcomes");
    if (document.activeElement === document.body) list.focus({ preventScroll: true });
  });
  openNamed();
  addEventListener("hashchange", openNamed);
  document.documentElement.dataset.ready = "yes";
}

start();
