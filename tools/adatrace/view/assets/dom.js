// Finds elements of the page by id, and makes elements whose text is never parsed as HTML.
// @ts-check

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
export function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type))
    throw new Error(`no ${type.name} ${id}`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {string} [className] @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className = '', ...children) {
  const made = document.createElement(tag);
  if (className)
    made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} text @param {(event: MouseEvent) => void} act @param {string} [className] */
export function button(text, act, className = '') {
  const made = make('button', className, text);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}

let delayed = 0;
/** Whether an action passed to debounce() is waiting or running. */
export const isDelayed = () => delayed > 0;

/** Runs `act` once, `ms` after the last of several calls. @param {number} ms @param {() => void | Promise<void>} act */
export function debounce(ms, act) {
  let timer = 0;
  return () => {
    if (timer)
      clearTimeout(timer);
    else
      ++delayed;
    timer = window.setTimeout(async () => {
      timer = 0;
      try {
        await act();
      } finally {
        --delayed;
      }
    }, ms);
  };
}
