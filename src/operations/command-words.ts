/**
 * @module
 * Members as words of a command: the flag of a member is its name in kebab-case. The browser shows the same commands.
 */

import { DEFAULT_RULES } from '../identity/ids/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import type { Absence, Entry } from './member.ts';

/** What the words of a member depend on. It is data, so that a browser has it, too. */
export interface WordedMember {
  readonly entry: Entry;
  readonly absence: Absence<unknown>;
  readonly isArgument?: true | undefined;
}

/** The flag of a member: `--join-time` for joinTime. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The words that give a member this value. None for the value that it has without them. */
export function memberWords(name: string, member: WordedMember, value: unknown): string[] {
  const { absence, entry } = member;
  const initial: unknown = 'initial' in absence ? absence.initial : undefined;
  if (value === undefined || textOf(value) === textOf(initial)) return [];
  const flag = flagOf(name);
  const isFile = typeof value === 'object' && value !== null && 'text' in value && 'name' in value;
  if (entry.as === 'file' && !isFile) {
    return member.isArgument === true ? [fileNameOf(name)] : [flag, fileNameOf(name)];
  }
  if (entry.as === 'switch') return [value === true ? flag : flag.replace('--', '--no-')];
  // The schema of such a member accepts names and policies only.
  if (entry.as === 'policy' && typeof value === 'object') return policyWords(value as Policy);
  const given =
    member.isArgument === true && typeof value === 'string' ? valueEntered(entry, value) : value;
  const parts = Array.isArray(given) ? given.map(textOf) : [textOf(given)];
  if (member.isArgument === true) return parts;
  return isRepeated(entry) ? parts.flatMap((part) => [flag, part]) : [flag, textOf(value)];
}

/** The name of a file that a request contains. */
export function fileNameOf(name: string): string {
  return `${name}.txt`;
}

/** Whether each text of a member has a flag of its own. */
export function isRepeated(entry: Entry): boolean {
  return entry.as === 'texts' && entry.separator === '\n';
}

/** The value that a person enters: lists are separated by commas, and numbers need no quotes in a request. */
export function valueEntered(entry: Entry, text: string): unknown {
  if (entry.as === 'quantity') return Number.isNaN(Number(text)) ? text : Number(text);
  if (entry.as === 'texts') return text.split(entry.separator).filter((part) => part !== '');
  if (entry.as === 'settings') return settingsIn(text);
  return entry.as === 'quantities' || entry.as === 'choices' ? text.split(',') : text;
}

/** The values by name of `crash=1,loss=2`. The text itself if it has another form, or a name twice, so that it is refused. */
function settingsIn(text: string): Readonly<Record<string, string>> | string {
  const pairs = text.split(',').map((part) => /^([^=]+)=(.+)$/.exec(part.trim()));
  const settings = Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]));
  const isWhole = !pairs.includes(null) && Object.keys(settings).length === pairs.length;
  return isWhole ? settings : text;
}

/** A value as a person enters it. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  // A threat model and a file have a name in the place of what they contain.
  if ('name' in value && ('model' in value || 'text' in value)) return String(value.name);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${textOf(each)}`)
    .join(',');
}

/** The flags that change the default policy to this one. */
function policyWords(policy: Policy): string[] {
  const { checks, lowS, salted, puzzle, c1, c2, dynamic, epoch, context, idRule, hash } = policy;
  const values: readonly (readonly [flag: string, value: unknown, usual: unknown])[] = [
    ['--c1', c1, 0],
    ['--c2', c2, 0],
    ['--dynamic', dynamic, 'concat'],
    ['--puzzle', Object.values(puzzle).join(':'), DEFAULT_RULES.puzzle.function],
    ['--hash', hash, DEFAULT_RULES.hash],
    ['--id-rule', idRule, DEFAULT_RULES.idRule],
    ['--id-bits', policy.idBits, DEFAULT_RULES.idBits],
    ['--epoch', epoch, DEFAULT_RULES.epoch],
    ['--context', context, DEFAULT_RULES.context],
  ];
  const skipped = Object.entries(checks).flatMap(([name, isMade]) => (isMade ? [] : [name]));
  return [
    ...values.flatMap(([flag, value, usual]) => (value === usual ? [] : [flag, String(value)])),
    ...(salted ? ['--salted'] : []),
    ...(skipped.length === 0 ? [] : ['--skip-checks', skipped.join()]),
    ...(lowS ? [] : ['--no-low-s']),
  ];
}
