"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  /* The map: a column under the pointer or with the focus shows its law and its lines. */
  const map = document.querySelector("svg.map");
  if (map) {
    const says = document.querySelector(".says");
    const nodes = all(".node", map);
    const light = (node) => {
      map.classList.toggle("lit", node !== null);
      all(".on", map).forEach((each) => each.classList.remove("on"));
      says.textContent = node ? node.dataset.says : "";
      if (!node) return;
      const names = new Set([node.dataset.key]);
      for (const path of all("path", map)) {
        const { source, target } = path.dataset;
        if (source !== node.dataset.key && target !== node.dataset.key) continue;
        path.classList.add("on");
        names.add(source).add(target);
      }
      nodes.forEach((each) => each.classList.toggle("on", names.has(each.dataset.key)));
    };
    const focused = () => nodes.find((each) => each === document.activeElement) ?? null;
    for (const node of nodes) {
      node.addEventListener("mouseenter", () => light(node));
      node.addEventListener("mouseleave", () => light(focused()));
      node.addEventListener("focus", () => light(node));
      node.addEventListener("blur", () => light(null));
    }
  }

  /* The section that is being read, in the list of sections. */
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "location");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  all("main > section").forEach((section) => seen.observe(section));

  for (const block of all("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const code = block.querySelector("code");
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(code);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected";
      }
    });
    block.append(button);
  }

  /* In print, all details are open: what is folded would be lost on paper. */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
