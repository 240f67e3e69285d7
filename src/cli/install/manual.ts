/**
 * @module
 * `usurp manual`: manual pages in roff, made of the help texts.
 */

import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { EXIT } from '../shell/exit.ts';
import { fittedHelp } from '../shell/layout.ts';
import type { Session } from '../shell/terminal.ts';
import type { Verbs } from './completion.ts';

/** The command `manual`. */
export function manualCommand(command: Command, session: Session, verbs: Verbs): Command {
  return command
    .description('Print the manual page of usurp, or of a verb, for man.')
    .argument('[verb]', 'a verb')
    .addHelpText('after', HELP)
    .action((verb: string | undefined) =>
      session.run({}, async ({ print }) => {
        print(verb === undefined ? overview(verbs) : pageOf(await verbs.commandOf(verb)));
        return EXIT.holds;
      }),
    );
}

const HELP = `
Examples:
  usurp manual > usurp.1 && man ./usurp.1
  usurp manual run > usurp-run.1 && man ./usurp-run.1`;

function overview({ listed }: Verbs): string {
  return page('usurp', manifest.description, [
    ['SYNOPSIS', '\\fBusurp\\fR \\fIverb\\fR [options]'],
    ['VERBS', terms(listed.map(({ name, summary }) => [name, summary]))],
    ['SEE ALSO', listed.map(({ name }) => `\\fBusurp\\-${roff(name)}\\fR(1)`).join(', ')],
  ]);
}

function pageOf(command: Command): string {
  const [text, examples = ''] = textAfter(command).split('\nExamples:\n');
  const help = command.createHelp();
  const rows = command.registeredArguments.map((each) => [
    each.name(),
    help.argumentDescription(each),
  ]);
  const options = help.visibleOptions(command);
  return page(`usurp-${command.name()}`, command.summary(), [
    ['SYNOPSIS', roff(`usurp ${command.name()} ${command.usage()}`)],
    ['EXAMPLES', `.nf\n${roff(fittedHelp(examples))}\n.fi`],
    ['DESCRIPTION', prose(text ?? '')],
    ['ARGUMENTS', terms(rows)],
    ['OPTIONS', terms(options.map((each) => [each.flags, help.optionDescription(each)]))],
  ]);
}

/** What a verb says after the list of its options. */
function textAfter(command: Command): string {
  let whole = '';
  const { writeOut } = command.configureOutput();
  command.configureOutput({ writeOut: (text) => (whole += text) });
  command.outputHelp();
  command.configureOutput({ ...(writeOut && { writeOut }) });
  return whole.slice(command.helpInformation().length).trim();
}

function page(title: string, summary: string, sections: readonly (readonly [string, string])[]) {
  const parts = sections
    .filter(([, text]) => text.trim() !== '')
    .map(([name, text]) => `.SH ${name}\n${text.trim()}\n`);
  const head = `.TH ${title.toUpperCase()} 1 "" "usurp ${manifest.version}"\n`;
  return `${head}.SH NAME\n${roff(title)} \\- ${roff(summary)}\n${parts.join('')}`;
}

function terms(rows: readonly (readonly string[])[]): string {
  return rows
    .map(([term = '', meaning = '']) => `.TP\n\\fB${roff(term)}\\fR\n${roff(meaning)}\n`)
    .join('');
}

/** Paragraphs, and tables with indented lines, which keep their lines. */
function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => (/^ /m.test(part) ? `.nf\n${roff(fittedHelp(part))}\n.fi` : linewise(part)))
    .join('\n.PP\n');
}

/** A line that ends with a sentence keeps its end. */
function linewise(text: string): string {
  return roff(text).replaceAll(/(?<=[.:])\n/g, '\n.br\n');
}

/** Text of roff. A point at the beginning of a line would be a command. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}
