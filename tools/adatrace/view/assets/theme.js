// Light or dark, and the colours of functions in both.
// @ts-check

/** Colours of functions: 18 hues in two tones. */
export const HUES = 36;
/** Shades of one function: three for boxes, by the share of time that calls fill, and one for calls. */
export const SHADES = 4;
const KEY = 'adatrace-theme';

/** @typedef {{paper: string, ink: string, faint: string, line: string, strong: string, bad: string, stripe: string, waiting: string, preempted: string, recorder: string, unknown: string, states: Record<import('./thread_states.js').State, string>, fills: string[]}} Colours */

/** Depends only on the name, so it is the same in all sessions. @param {string} name */
export function hueOf(name) {
  let hash = 9;
  for (let i = 0; i < name.length; ++i)
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  // The last rounds of murmur3; without them, names that differ only in their last letter would look alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % HUES;
}

/** The colour of a function, for elements. @param {string} name */
export const colourOf = (name) => colours().fills[hueOf(name) * SHADES + SHADES - 1];

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
}

/** @type {Colours | null} */
let known = null;

/** The colours of the style sheet, and a list of fills with SHADES entries per hue. */
export function colours() {
  if (known)
    return known;
  const style = getComputedStyle(document.documentElement);
  const value = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  // OKLCH has lightness and chroma as people perceive them, so that text on any hue has the same contrast.
  const [paper, tones] = isDark() ? [0.22, [[0.46, 0.095], [0.37, 0.075]]] : [0.985, [[0.865, 0.085], [0.775, 0.105]]];
  const fills = [];
  for (let hue = 0; hue < HUES; ++hue) {
    const [lightness, chroma] = tones[hue % tones.length], angle = (hue >> 1) * 720 / HUES + (hue % 2 ? 25 : 15);
    for (let shade = 1; shade <= SHADES; ++shade) {
      const part = 0.1 + 0.9 * shade / SHADES;
      fills.push(`oklch(${(paper + (lightness - paper) * part).toFixed(3)} ${(chroma * part).toFixed(3)} ${angle})`);
    }
  }
  known = {paper: value('paper'), ink: value('ink'), faint: value('faint'), line: value('line'), strong: value('strong'),
    bad: value('bad'), stripe: value('stripe'), waiting: value('waiting'), preempted: value('preempted'),
    recorder: value('recorder'), unknown: value('unknown'), fills,
    states: {running: value('running'), lock: value('lock'), event: value('event'), io: value('io'), sleep: value('faint'), waiting: value('faint'),
      preempted: value('preempted'), recorder: value('recorder'), unknown: value('faint')}};
  return known;
}

/** @param {() => void} changed */
export function startTheme(changed) {
  const again = () => {
    known = null;
    changed();
  };
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === 'light' || kept === 'dark')
      document.documentElement.dataset.theme = kept;
  } catch { /* without storage, use the system's theme */ }
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  return () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch { /* without storage, the choice lasts as long as the page */ }
    again();
  };
}
