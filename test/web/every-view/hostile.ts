/**
 * @module
 * Strings that become markup or scripts where a page does not treat foreign text as text, and a check that none did.
 */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const FORMS = [
  '<img src=x onerror=attacked()>',
  '<script>attacked()</script>',
  '"><svg onload=attacked()>',
  "javascript:attacked()//'",
  '</code><iframe src=//evil.example>',
  '{{attacked()}}${attacked()}',
  '\u202egnp.exe\u0000\ufeff',
  '&lt;b&gt;&amp;#x3c;i&amp;#x3e;',
  '__proto__',
  '%3Cscript%3Eattacked()%3C/script%3E',
];

/** Different from each other by their last number. */
export const HOSTILE: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `${FORMS[index % FORMS.length]} ${index}`,
);

/** One of them. */
export function hostile(index: number): string {
  return HOSTILE[index] ?? '';
}

/** Makes a script that runs fail the test. Call it before the strings are on the page. */
export async function forbidAttacks(page: Page): Promise<void> {
  await page.exposeFunction('attacked', () => expect.fail('a script ran'));
}

/** Expects that no string became an element or ran. */
export async function expectNoAttack(page: Page): Promise<void> {
  expect(await page.locator('main img, main iframe, main script, main [onload]').count()).toBe(0);
}
