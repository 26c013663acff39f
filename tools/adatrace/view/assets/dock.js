// The panels below the sessions, with tabs and a splitter that changes the height.
// @ts-check
import {element, make} from './dom.js';

/** @typedef {{id: string, title: string, element: HTMLElement, open: (isOpen: boolean) => void}} Panel */

export class Dock {
  /** @param {Panel[]} panels @param {() => void} changed */
  constructor(panels, changed) {
    this.panels = panels;
    this.changed = changed;
    this.current = 0;
    this.isOpen = true;
    this.dock = element('dock', HTMLElement);
    const tabs = element('tabs', HTMLElement);
    this.tabs = panels.map((panel, number) => {
      const tab = make('button', '', panel.title);
      tab.type = 'button';
      tab.id = `tab-${panel.id}`;
      tab.title = `key ${number === 0 ? 'F' : number < 10 ? number : 'P'}`;
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-controls', `panel-${panel.id}`);
      tab.addEventListener('click', () => this.choose(number));
      panel.element.id = `panel-${panel.id}`;
      panel.element.setAttribute('role', 'tabpanel');
      panel.element.tabIndex = 0;
      panel.element.setAttribute('aria-labelledby', tab.id);
      tabs.append(tab);
      return tab;
    });
    tabs.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!step)
        return;
      event.preventDefault();
      this.choose((this.current + step + panels.length) % panels.length);
      this.tabs[this.current].focus();
    });
    element('panels', HTMLElement).append(...panels.map((panel) => panel.element));
    this.listenToSplitter(element('splitter', HTMLElement));
    this.choose(0);
  }

  /** @param {number} number */
  choose(number) {
    this.current = number;
    this.setOpen(true);
    this.panels.forEach((panel, at) => {
      panel.element.hidden = at !== number;
      this.tabs[at].setAttribute('aria-selected', String(at === number));
      this.tabs[at].tabIndex = at === number ? 0 : -1;
    });
    this.changed();
  }
  /** @param {boolean} isOpen */
  setOpen(isOpen) {
    this.isOpen = isOpen;
    this.dock.hidden = !isOpen;
    element('splitter', HTMLElement).hidden = !isOpen;
    this.panels.forEach((panel, at) => panel.open(isOpen && at === this.current));
  }

  /** @param {HTMLElement} splitter */
  listenToSplitter(splitter) {
    const set = (/** @type {number} */ height) => {
      const most = window.innerHeight - 160, used = Math.max(80, Math.min(height, most));
      this.dock.style.height = `${used}px`;
      splitter.setAttribute('aria-valuenow', String(Math.round(100 * used / window.innerHeight)));
    };
    let isDragging = false;
    splitter.addEventListener('pointerdown', (event) => {
      isDragging = true;
      splitter.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    splitter.addEventListener('pointermove', (event) => isDragging && set(window.innerHeight - event.clientY - 24));
    splitter.addEventListener('pointerup', () => {
      isDragging = false;
    });
    splitter.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')
        return;
      event.preventDefault();
      set(this.dock.offsetHeight + (event.key === 'ArrowUp' ? 30 : -30));
    });
  }
}
