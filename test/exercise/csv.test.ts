/**
 * @module
 * No spreadsheet reads a formula in a table, whatever its separator of lists is.
 */

import { expect, it } from 'vitest';

import { csvOf } from '../../src/exercise/reports.ts';

it.each([
  ['x;=HYPERLINK("http://evil.example")', `"x;'=HYPERLINK(""http://evil.example"")"`],
  ['x; =1', "x; '=1"],
  ['x;"=1', `"x;""'=1"`],
  ['x\t@SUM(1)', "x\t'@SUM(1)"],
  ['a;+1;-1', "a;'+1;'-1"],
  ['=1', "'=1"],
  ...['＝1', '＋1', '－1', '＠SUM(1)'].map((text) => [text, `'${text}`]),
  ['x\n=1', `"x\n'=1"`],
  ['x\r\n  +1', `"x\r\n  '+1"`],
  ['x"\n"@SUM(1)', `"x""\n""'@SUM(1)"`],
  ['one\n\n- two', `"one\n\n'- two"`],
])('the text %j has no formula after a separator', (text, cell) => {
  expect(csvOf([[text]])).toBe(`${cell}\n`);
});

it('other texts and numbers are as they are', () => {
  expect(csvOf([['a = b; c', 'one - two\n\n* three', -1]])).toBe(
    'a = b; c,"one - two\n\n* three",-1\n',
  );
});
