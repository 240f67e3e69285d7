/**
 * @module
 * What a reader can see and reach in a page: text that is cut off or lies on other text, and controls that the Tab key
 * does not reach or does not mark.
 */

import type { Page } from 'playwright-core';

/** Widths of a small phone, of the window of the guide, and of a projector. */
export const SIZES = {
  phone: { width: 360, height: 740 },
  projector: { width: 1920, height: 1080 },
  window: { width: 1280, height: 800 },
} as const;

/** Texts outside of the window, cut off or one on the other, at each size. */
export async function layoutFaultsIn(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const size of Object.values(SIZES)) {
    await page.setViewportSize(size);
    // Pictures are drawn anew for their width.
    await page.evaluate(NEXT_FRAMES);
    const found = await page.evaluate<readonly string[]>(FIND_FAULTS);
    faults.push(...found.map((fault) => `${size.width}: ${fault}`));
  }
  return faults;
}

const NEXT_FRAMES = `new Promise((done) => {
  const next = (frames) => requestAnimationFrame(() => frames === 0 ? done() : next(frames - 1));
  next(3);
})`;

/** Runs in the page. */
const FIND_FAULTS = `(() => {
  const width = document.documentElement.clientWidth;
  const faults = [];
  if (document.documentElement.scrollWidth > width) faults.push('the page is wider than the window');
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const scrollerOf = (element) => {
    for (let each = element; each !== null; each = each.parentElement) if (scrolls(each)) return each;
    return null;
  };
  const isInScrolling = (element) => scrollerOf(element) !== null;
  // Not scrolled away.
  const isShown = ({ element, box }) => {
    const { top, bottom } = scrollerOf(element).getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  };
  // Cells that stay in sight lie on those that scroll away.
  const isSticky = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).position === 'sticky' && each.matches('th, td')) return true;
    }
    return false;
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const element = text.parentElement;
    if (text.data.trim() === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest('select, title, .skip') !== null) continue;
    if (element.matches('details:not([open])')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      const found = { element, words: text.data.trim().slice(0, 40), box };
      texts.push(found);
      if (!isInScrolling(element) && (box.left < -1 || box.right > width + 1)) {
        faults.push('outside of the window: ' + found.words);
      }
    }
  }
  for (const element of document.querySelectorAll('button, a, label, legend, th, td, h1, h2, h3, p, li, dd, summary')) {
    const { overflowX, display } = getComputedStyle(element);
    if (display === 'inline' || overflowX !== 'hidden' && overflowX !== 'clip') continue;
    if (element.scrollWidth > element.clientWidth + 1) faults.push('cut off: ' + element.textContent.slice(0, 40));
  }
  const inside = (box) => ({ left: box.left + 1, right: box.right - 1, top: box.top + 0.25 * box.height, bottom: box.bottom - 0.25 * box.height });
  texts.sort((one, other) => one.box.top - other.box.top);
  texts.forEach((one, index) => {
    const a = inside(one.box);
    for (let next = index + 1; next < texts.length; next += 1) {
      const other = texts[next];
      if (other.box.top > one.box.bottom) break;
      if (other.element === one.element) continue;
      const b = inside(other.box);
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
        if (isInScrolling(one.element) !== isInScrolling(other.element)) continue;
        if (scrollerOf(one.element) !== scrollerOf(other.element) && !(isShown(one) && isShown(other))) continue;
        if (isSticky(one.element) || isSticky(other.element)) continue;
        faults.push('on each other: ' + one.words + ' / ' + other.words);
      }
    }
  });
  return [...new Set(faults)];
})()`;

/** Controls of the page that the Tab key does not reach, or that do not show that they have the focus. */
export async function keyboardFaultsIn(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate<number>(WATCH_FOCUS);
  // Some pages give the focus to a control in their middle.
  for (let step = 0; step <= count + 1; step += 1) await page.keyboard.press('Tab');
  return page.evaluate<readonly string[]>('window.focusFaults()');
}

/** Runs in the page: returns how many controls there are, and notes each that receives the focus. */
const WATCH_FOCUS = `(() => {
  const nameOf = (element) =>
    element.tagName.toLowerCase() + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
  const isControl = (element) =>
    element.tabIndex >= 0 && !element.disabled && element.closest('fieldset:disabled') === null
    && element.checkVisibility({ visibilityProperty: true })
    && !(element.type === 'radio' && !element.checked && document.querySelector('input[type=radio][name="' + element.name + '"]:checked') !== null);
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(isControl);
  const faults = [];
  const reached = [];
  // After the last control, the first follows.
  const isAgain = (target) => target === controls[0];
  document.activeElement?.blur();
  document.addEventListener('focusin', ({ target }) => {
    const before = reached.at(-1);
    if (before !== undefined && !(before.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING)) {
      if (!isAgain(target)) faults.push('out of order: ' + nameOf(target));
    }
    reached.push(target);
    const marked = [target, target.querySelector('.body'), target.closest('.yaml-text')].some((element) => {
      if (element === null) return false;
      const { outlineStyle, outlineWidth, strokeWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 || element.matches('.body') && parseFloat(strokeWidth) >= 3;
    });
    if (!marked) faults.push('no visible focus: ' + nameOf(target));
  });
  window.focusFaults = () => {
    document.activeElement?.blur();
    const missing = controls.filter((each) => !reached.includes(each));
    return [...new Set([...faults, ...missing.map((each) => 'not reached: ' + nameOf(each))])];
  };
  return controls.length;
})()`;
