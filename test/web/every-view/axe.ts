/**
 * @module
 * Runs axe on a page, by the rules of WCAG 2.2 AA and the best practices.
 */

import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Each violation as its rule with the elements that break it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that depend on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const RUN = (rules: readonly string[]) => `axe.run({ runOnly: ${JSON.stringify(rules)} })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`;

/** The violations that axe finds in a page as it is now. */
export async function violationsIn(page: Page): Promise<readonly string[]> {
  // As an argument of the debugger, which the policy of the page does not restrict.
  await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(RUN(RULES));
}

/** The violations that other colours cause in a page that was examined before. */
export function colourViolationsIn(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(RUN(COLOUR_RULES));
}
