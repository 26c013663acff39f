// The flame page: draws the call paths in #data, searches, zooms and lists functions. No library, no network.
// @ts-check
// adatrace puts this module in front of the script and removes this line.
import {counted, duration, grouped, percent} from '../view/assets/numbers.js';

(() => {
  'use strict';

  /** @typedef {[calls: number, total: number, self: number]} Figures */
  /**
   * Each call comes before the calls that it made; columns have one entry per path. `function` is a number, -1 for
   * paths that were added up, or -2 for the time in which the recorder held up calls of the function above.
   * @typedef {{calls: number[], total: number[], self: number[]}} Columns
   * @typedef {{label: string, isCut: boolean, depth: number[], function: number[], paths: number[], now: Columns,
   *   before: Columns | null, whole: Figures, wholeBefore: Figures | null, sums: number[][]}} TreeData
   * @typedef {{title: string, before: string | null, functions: [string, string][], trees: TreeData[]}} PageData
   */

  /** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
  const element = (id, type) => {
    const found = document.getElementById(id);
    if (!(found instanceof type))
      throw new Error(`no ${type.name} ${id}`);
    return found;
  };

  /** @type {PageData} */
  const data = JSON.parse(element('data', HTMLScriptElement).textContent || '');
  const chart = element('chart', HTMLElement), search = element('search', HTMLInputElement);
  const treeChoice = element('tree', HTMLSelectElement), weightChoice = element('weight', HTMLSelectElement);
  const colourChoice = element('colour', HTMLSelectElement);
  const ROW = 20, NARROWEST = 1, MOST_ROWS = 1000;

  //===--- numbers ---------------------------------------------------------===//

  /** @param {number} now @param {number} before */
  const change = (now, before) =>
    before ? `${now >= before ? '+' : ''}${(100 * (now - before) / before).toFixed(1)} %` : now ? 'new' : '';
  /** @param {string} text */
  function hueOf(text) {
    let hash = 0;
    for (let i = 0; i < text.length; ++i)
      hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
    return hash % 55; // red to yellow
  }

  /** The name of a function, or of an entry that is not a function. @param {number} number */
  const nameOf = (number) => number >= 0 ? data.functions[number][0] : number === -1 ? '(other paths)' : '(recorder)';

  //===--- one tree --------------------------------------------------------===//

  class Tree {
    /** @param {TreeData} source */
    constructor(source) {
      this.source = source;
      const count = source.depth.length;
      this.parent = new Int32Array(count).fill(-1);
      this.end = new Int32Array(count).fill(count); // one past the last node below
      this.deepest = -1;
      /** @type {number[]} */
      const path = [];
      for (let node = 0; node < count; ++node) {
        while (path.length > source.depth[node])
          this.end[/** @type {number} */ (path.pop())] = node;
        if (path.length)
          this.parent[node] = path[path.length - 1];
        path.push(node);
        this.deepest = Math.max(this.deepest, source.depth[node]);
      }
    }

    /** Computes where each bar begins, in nanoseconds. @param {'now' | 'before'} which */
    layOut(which) {
      this.columns = which === 'before' && this.source.before ? this.source.before : this.source.now;
      const whole = which === 'before' && this.source.wholeBefore ? this.source.wholeBefore : this.source.whole;
      this.width = whole[1];
      this.start = new Float64Array(this.parent.length);
      const next = new Float64Array(this.parent.length);
      let outermost = 0;
      for (let node = 0; node < this.parent.length; ++node) {
        const parent = this.parent[node], total = this.columns.total[node];
        this.start[node] = parent < 0 ? outermost : next[parent];
        next[node] = this.start[node];
        if (parent < 0)
          outermost += total;
        else
          next[parent] += total;
      }
    }

    /** @param {number} node */
    name(node) {
      const number = this.source.function[node];
      return number === -1 ? `(${counted(this.source.paths[node], 'more path')})` : nameOf(number);
    }
  }

  //===--- state -----------------------------------------------------------===//

  const trees = data.trees.map((source) => new Tree(source));
  let tree = trees[0], zoom = -1, focused = -1, isFlipped = false;
  /** @type {Set<number>} functions that match the search */
  let hits = new Set();
  /** @type {number[]} nodes of these functions */
  let hitNodes = [];
  let sortColumn = 'self';

  //===--- details ---------------------------------------------------------===//

  /** @param {number} node */
  function describe(node) {
    const {now, before, whole} = tree.source, number = tree.source.function[node];
    let text = `${tree.name(node)}: total ${duration(now.total[node])} (${percent(now.total[node], whole[1])}), ` +
      `self ${duration(now.self[node])} (${percent(now.self[node], whole[1])}), ${counted(now.calls[node], 'call')}`;
    if (before)
      text += `; before: total ${duration(before.total[node])}, self ${duration(before.self[node])}, ` +
        `${counted(before.calls[node], 'call')}; total ${change(now.total[node], before.total[node]) || '+0.0 %'}`;
    if (number >= 0 && data.functions[number][1])
      text += ` — ${data.functions[number][1]}`;
    return text;
  }
  /** @param {number} node */
  function showDetails(node) {
    element('details', HTMLElement).textContent = node >= 0 ? describe(node) : '';
  }

  //===--- drawing ---------------------------------------------------------===//

  /** @param {HTMLElement} bar @param {number} node */
  function paint(bar, node) {
    const number = tree.source.function[node], {now, before} = tree.source;
    if (number < 0) {
      bar.classList.add(number === -1 ? 'rest' : 'recorder');
      return;
    }
    if (hits.has(number))
      bar.classList.add('hit');
    let hue = hueOf(data.functions[number][0]), saturation = 75;
    if (colourChoice.value === 'self') {
      hue = 12;
      saturation = Math.round(10 + 85 * (now.total[node] ? now.self[node] / now.total[node] : 0));
    } else if (colourChoice.value === 'difference' && before) {
      const larger = Math.max(now.total[node], before.total[node], 1), by = (now.total[node] - before.total[node]) / larger;
      hue = by > 0 ? 8 : 220;
      saturation = Math.round(95 * Math.min(1, Math.abs(by) * 2));
    }
    bar.style.setProperty('--hue', String(hue));
    bar.style.setProperty('--saturation', `${saturation}%`);
  }

  /** @param {number} node @param {number} left @param {number} width in pixels @param {boolean} isAround */
  function makeBar(node, left, width, isAround) {
    const bar = document.createElement('div'), {depth, now} = tree.source;
    const row = isFlipped ? tree.deepest - depth[node] : depth[node];
    bar.className = isAround ? 'bar around' : 'bar';
    bar.style.left = `${left}px`;
    bar.style.width = `${width}px`;
    bar.style.top = `${row * ROW}px`;
    bar.dataset.node = String(node);
    bar.setAttribute('role', 'treeitem');
    bar.setAttribute('aria-level', String(depth[node] + 1));
    bar.setAttribute('aria-label', `${tree.name(node)}, ${duration(now.total[node])}`);
    bar.tabIndex = node === focused || (focused < 0 && node === Math.max(zoom, 0)) ? 0 : -1;
    if (width > 24)
      bar.textContent = tree.name(node);
    paint(bar, node);
    return bar;
  }

  /** Draws only what is visible: rows in the window, and bars that are at least a pixel wide. */
  function draw() {
    const {start, columns, width: whole} = tree, pixels = chart.clientWidth;
    if (!start || !columns)
      return;
    chart.style.height = `${(tree.deepest + 1) * ROW}px`;
    const top = chart.getBoundingClientRect().top;
    const firstRow = Math.floor(-top / ROW) - 2, lastRow = Math.ceil((window.innerHeight - top) / ROW) + 2;
    const from = zoom < 0 ? 0 : start[zoom], width = (zoom < 0 ? whole : columns.total[zoom]) || 1;
    /** @param {number} node */
    const isVisible = (node) => {
      const row = isFlipped ? tree.deepest - tree.source.depth[node] : tree.source.depth[node];
      return row >= firstRow && row <= lastRow;
    };
    const bars = document.createDocumentFragment();
    for (let node = zoom < 0 ? -1 : tree.parent[zoom]; node >= 0; node = tree.parent[node])
      if (isVisible(node))
        bars.append(makeBar(node, 0, pixels, true));
    const last = zoom < 0 ? tree.parent.length : tree.end[zoom];
    for (let node = Math.max(zoom, 0); node < last;) {
      const wide = columns.total[node] / width * pixels;
      if (wide < NARROWEST) {
        node = tree.end[node];
        continue;
      }
      if (isVisible(node))
        bars.append(makeBar(node, (start[node] - from) / width * pixels, wide, false));
      ++node;
    }
    chart.replaceChildren(bars);
  }

  function drawPath() {
    const path = element('path', HTMLElement), nodes = [];
    for (let node = zoom; node >= 0; node = tree.parent[node])
      nodes.unshift(node);
    path.replaceChildren();
    for (const node of [-1, ...nodes]) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = node < 0 ? 'all' : tree.name(node);
      button.addEventListener('click', () => zoomTo(node));
      path.append(button, node === zoom ? '' : ' › ');
    }
  }

  /** @param {number} node -1 is everything */
  function zoomTo(node) {
    zoom = node;
    drawPath();
    draw();
    showDetails(node);
  }

  /** Focuses a bar, so that keys act on it; zooms out if it would not be visible. @param {number} node */
  function focus(node) {
    if (node < 0)
      return;
    focused = node;
    const {columns} = tree, width = zoom < 0 ? tree.width : columns?.total[zoom];
    const isInside = zoom < 0 || (node >= zoom && node < tree.end[zoom]);
    if (!isInside || !columns || columns.total[node] / (width || 1) * chart.clientWidth < NARROWEST) {
      zoom = tree.parent[node];
      drawPath();
    }
    const row = isFlipped ? tree.deepest - tree.source.depth[node] : tree.source.depth[node];
    const y = chart.getBoundingClientRect().top + row * ROW;
    if (y < 0 || y + ROW > window.innerHeight)
      window.scrollBy(0, y - window.innerHeight / 2);
    draw();
    const bar = chart.querySelector(`[data-node="${node}"]`);
    if (bar instanceof HTMLElement)
      bar.focus({preventScroll: true});
    showDetails(node);
  }

  //===--- functions -------------------------------------------------------===//

  /** @type {[key: string, title: string, value: (sum: number[]) => number][]} */
  const columns = [
    ['self', 'self', (sum) => sum[3]],
    ['total', 'total', (sum) => sum[2]],
    ['calls', 'calls', (sum) => sum[1]],
  ];
  if (data.before !== null)
    columns.push(
      ['self-change', 'self, change', (sum) => sum[3] - sum[6]],
      ['total-change', 'total, change', (sum) => sum[2] - sum[5]],
      ['calls-change', 'calls, change', (sum) => sum[1] - sum[4]]);

  function drawFunctions() {
    const table = element('functions', HTMLTableElement), chosen = columns.find(([key]) => key === sortColumn) || columns[0];
    const head = table.tHead?.rows[0], body = table.tBodies[0];
    head?.replaceChildren(...[...columns.map(([key, title]) => {
      const cell = document.createElement('th'), button = document.createElement('button');
      button.type = 'button';
      button.textContent = title;
      button.dataset.sort = key;
      button.addEventListener('click', () => {
        sortColumn = key;
        drawFunctions();
      });
      if (key === chosen[0])
        cell.setAttribute('aria-sort', 'descending');
      cell.append(button);
      return cell;
    }), Object.assign(document.createElement('th'), {textContent: 'function'})]);
    const isSigned = chosen[0].endsWith('change');
    const size = (/** @type {number[]} */ sum) => isSigned ? Math.abs(chosen[2](sum)) : chosen[2](sum);
    const rows = tree.source.sums.filter(([number]) => !search.value || hits.has(number));
    rows.sort((a, b) => size(b) - size(a) || a[0] - b[0]);
    body.replaceChildren(...rows.slice(0, MOST_ROWS).map((sum) => {
      const row = document.createElement('tr'), name = nameOf(sum[0]);
      for (const [key, , value] of columns) {
        const cell = row.insertCell(), number = value(sum), sign = key.endsWith('change') && number > 0 ? '+' : '';
        cell.textContent = sign + (key.startsWith('calls') ? (number < 0 ? '-' : '') + grouped(Math.abs(number)) : duration(number));
        cell.dataset.value = String(number);
      }
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.title = sum[0] < 0 ? '' : data.functions[sum[0]][1];
      button.addEventListener('click', () => searchFor(name));
      row.insertCell().append(button);
      return row;
    }));
    element('more', HTMLElement).textContent =
      rows.length > MOST_ROWS ? `and ${grouped(rows.length - MOST_ROWS)} more functions; search shows them` : '';
  }

  //===--- search ----------------------------------------------------------===//

  /** @param {string} text */
  function matcher(text) {
    const regex = /^\/(.+)\/(i?)$/.exec(text);
    if (regex)
      try {
        const pattern = new RegExp(regex[1], regex[2]);
        return (/** @type {string} */ name) => pattern.test(name);
      } catch {
        return () => false;
      }
    const lower = text.toLowerCase();
    return (/** @type {string} */ name) => name.toLowerCase().includes(lower);
  }

  function runSearch() {
    const found = element('found', HTMLOutputElement);
    hits = new Set();
    hitNodes = [];
    found.textContent = '';
    if (search.value) {
      const matches = matcher(search.value), {function: numbers, now, whole} = tree.source;
      data.functions.forEach(([name], number) => matches(name) && hits.add(number));
      let total = 0, outer = 0; // the end of the outermost hit
      numbers.forEach((number, node) => {
        if (!hits.has(number))
          return;
        hitNodes.push(node);
        if (node >= outer) {
          total += now.total[node];
          outer = tree.end[node];
        }
      });
      const functions = new Set(hitNodes.map((node) => numbers[node])).size;
      found.textContent =
        `${counted(functions, 'function')}, ${counted(hitNodes.length, 'path')}, ${percent(total, whole[1])}`;
    }
    draw();
    drawFunctions();
  }
  /** @param {string} text */
  function searchFor(text) {
    search.value = text;
    runSearch();
  }
  /** @param {1 | -1} step */
  function nextHit(step) {
    if (!hitNodes.length)
      return;
    const at = step > 0 ? hitNodes.findIndex((node) => node > focused) : hitNodes.findLastIndex((node) => node < focused);
    focus(hitNodes[at >= 0 ? at : step > 0 ? 0 : hitNodes.length - 1]);
  }

  //===--- keys ------------------------------------------------------------===//

  /** The largest child, the caller, or the next call at the same depth. @param {string} key */
  function neighbour(key) {
    const from = focused >= 0 ? focused : Math.max(zoom, 0), depth = tree.source.depth[from];
    if (key === (isFlipped ? 'ArrowUp' : 'ArrowDown'))
      return tree.end[from] > from + 1 ? from + 1 : from;
    if (key === 'ArrowDown' || key === 'ArrowUp')
      return tree.parent[from] >= 0 ? tree.parent[from] : from;
    if (key === 'ArrowRight') {
      for (let node = tree.end[from]; node < tree.parent.length; ++node)
        if (tree.source.depth[node] === depth)
          return node;
      return from;
    }
    for (let node = from - 1; node >= 0; --node)
      if (tree.source.depth[node] === depth)
        return node;
    return from;
  }

  function toggleTheme() {
    const root = document.documentElement, dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : dark;
    root.dataset.theme = isDark ? 'light' : 'dark';
  }
  function flip() {
    isFlipped = !isFlipped;
    draw();
  }

  /** @type {Record<string, (event: KeyboardEvent) => void>} */
  const keys = {
    '/': () => search.focus(),
    n: () => nextHit(1),
    N: () => nextHit(-1),
    f: flip,
    d: toggleTheme,
    '?': () => element('keys', HTMLDialogElement).showModal(),
    Backspace: () => zoom >= 0 && zoomTo(tree.parent[zoom]),
    Escape: () => (search.value ? searchFor('') : zoomTo(-1)),
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || element('keys', HTMLDialogElement).open)
      return;
    if (event.target === search) {
      if (event.key === 'Escape')
        searchFor('');
      else if (event.key === 'Enter') {
        focused = -1;
        nextHit(1);
      } else
        return;
      event.preventDefault();
      return;
    }
    if (event.target instanceof HTMLSelectElement)
      return;
    const isBar = event.target instanceof HTMLElement && event.target.classList.contains('bar');
    if (event.key.startsWith('Arrow') && (isBar || event.target === document.body))
      focus(neighbour(event.key));
    else if ((event.key === 'Enter' || event.key === ' ') && isBar) {
      zoomTo(focused >= 0 ? focused : Number(/** @type {HTMLElement} */ (event.target).dataset.node));
      focus(zoom);
    } else if (Object.hasOwn(keys, event.key))
      keys[event.key](event);
    else
      return;
    event.preventDefault();
  });

  //===--- mouse and start -------------------------------------------------===//

  /** @param {Event} event */
  const barOf = (event) => {
    const bar = event.target instanceof Element ? event.target.closest('.bar') : null;
    return bar instanceof HTMLElement ? Number(bar.dataset.node) : -1;
  };
  chart.addEventListener('click', (event) => {
    const node = barOf(event);
    if (node >= 0) {
      focused = node;
      zoomTo(node);
    }
  });
  chart.addEventListener('mouseover', (event) => showDetails(barOf(event)));
  chart.addEventListener('focusin', (event) => {
    focused = barOf(event);
    showDetails(focused);
  });
  search.addEventListener('input', runSearch);
  element('flip', HTMLButtonElement).addEventListener('click', flip);
  element('theme', HTMLButtonElement).addEventListener('click', toggleTheme);
  element('help', HTMLButtonElement).addEventListener('click', () => element('keys', HTMLDialogElement).showModal());
  colourChoice.addEventListener('change', draw);

  function showTree() {
    tree = trees[Number(treeChoice.value)];
    tree.layOut(weightChoice.value === 'before' ? 'before' : 'now');
    zoom = focused = -1;
    drawPath();
    showDetails(-1);
    runSearch();
  }
  treeChoice.addEventListener('change', showTree);
  weightChoice.addEventListener('change', showTree);
  let isDrawing = false;
  const redraw = () => {
    if (isDrawing)
      return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      const active = document.activeElement, node = active instanceof HTMLElement ? active.dataset.node : undefined;
      draw();
      const bar = node === undefined ? null : chart.querySelector(`[data-node="${node}"]`);
      if (bar instanceof HTMLElement)
        bar.focus({preventScroll: true});
    });
  };
  window.addEventListener('resize', redraw);
  window.addEventListener('scroll', redraw, {passive: true});

  document.title = `${data.title} — AdaTrace flame graph`;
  element('title', HTMLElement).textContent = data.before === null ? data.title : `${data.title} against ${data.before}`;
  data.trees.forEach(({label, whole}, number) => {
    const option = document.createElement('option');
    option.value = String(number);
    option.textContent = `${label}: ${duration(whole[1])}, ${counted(whole[0], 'call')}`;
    treeChoice.append(option);
  });
  if (data.before !== null) {
    element('weight-label', HTMLElement).hidden = false;
    for (const option of colourChoice.options)
      option.hidden = false;
    colourChoice.value = 'difference';
  }
  if (trees.length)
    showTree();
  else
    element('details', HTMLElement).textContent = 'There are no calls.';
})();
