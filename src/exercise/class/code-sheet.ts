/**
 * @module
 * The class codes in the forms in which an instructor hands them out: lines of text, a table for mail merge, and a
 * sheet to print and cut.
 */

import { escapeXml } from '../../simulation/report/space-time/svg-elements.ts';
import type { CodeOfMember } from '../answers.ts';
import { csvOf } from '../reports.ts';

export interface CodeSheet {
  readonly codes: readonly CodeOfMember[];
  /** The name of the class. */
  readonly title: string;
  /** The address of the server; null if it is not known. */
  readonly address: string | null;
}

/** The form is that of the ending of the file: .csv, .html, or else lines of text. */
export function codesFor(file: string, sheet: CodeSheet): string {
  if (/\.csv$/i.test(file)) return mailMerge(sheet);
  return /\.html?$/i.test(file)
    ? printedSheet(sheet)
    : codeLines(sheet.codes).join('\n').concat('\n');
}

/** A line `role name code` for each member. */
export function codeLines(codes: readonly CodeOfMember[]): readonly string[] {
  return codes.map(({ role, name, code }) => `${role} ${name} ${code}`);
}

function mailMerge({ codes, title, address }: CodeSheet): string {
  return csvOf([
    ['email', 'full_name', 'name', 'role', 'code', 'class', 'address'],
    ...codes.map(({ email, fullName, name, role, code }) => {
      return [email ?? '', fullName ?? name, name, role, code, title, address ?? ''];
    }),
  ]);
}

/** A page without scripts that needs no network. No card is divided by the end of a page. */
function printedSheet({ codes, title, address }: CodeSheet): string {
  const cards = codes.map(({ name, fullName, role, code }) =>
    [
      '<li>',
      `<b>${escapeXml(fullName ?? name)}</b> (${escapeXml(name)}, ${role})`,
      `<code>${escapeXml(code)}</code>`,
      address === null
        ? 'Open the address of the lab, choose Exercises, and sign in with this code.'
        : `Open ${escapeXml(address)}, choose Exercises, and sign in with this code.`,
      'It can be used once.',
      '</li>',
    ].join('\n'),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Class codes: ${escapeXml(title)}</title>
<style>
body { font: 11pt sans-serif; margin: 1cm }
ul { columns: 2; padding: 0 }
li { list-style: none; break-inside: avoid; border: 1px dashed; padding: 4mm; margin: 0 0 4mm }
code { display: block; font-size: 16pt; margin: 2mm 0 }
</style>
<h1>${escapeXml(title)}</h1>
<ul>
${cards.join('\n')}
</ul>
</html>
`;
}
