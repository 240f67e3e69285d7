/**
 * @module
 * A statement by a hostile author: markup, scripts, addresses that are no pages, pictures of other hosts, deep nesting,
 * and characters that control terminals or change the direction of text.
 */

const ESC = '\u001b';

export const HOSTILE_STATEMENT = [
  '# <img src=x onerror=attacked()>',
  '<script>attacked()</script><iframe src="https://evil.example/frame"></iframe>',
  '[a script](javascript:attacked()) and [a page](data:text/html,<script>attacked()</script>)',
  '[JAVASCRIPT](jAvAsCrIpT:attacked()) [quoted](https://evil.example/"onclick="attacked())',
  '![a picture](https://evil.example/picture.png) ![another](data:image/svg+xml,<svg/onload=attacked()>)',
  '<https://evil.example/auto> [ref]: javascript:attacked()',
  `${ESC}]0;title\u0007${ESC}[2J${ESC}[31mred${ESC}]8;;https://evil.example${ESC}\\link \u009b2J \b\b\r`,
  'user\u202egnp.exe \u2066isolated\u2069 \u200f',
  '| <b>head</b> | `cell` |',
  '| --- | --- |',
  '| <svg onload=attacked()> | [x](javascript:attacked()) |',
  ...Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- item ${depth}`),
  `${'> '.repeat(300)}quoted`,
  `${'['.repeat(300)}${']('.repeat(300)}${'**'.repeat(300)}${'`'.repeat(301)}`,
  '```html',
  '<script>attacked()</script> in a fence without an end',
].join('\n');
