/**
 * @module
 * The input of an operation as the values of an address, as the body of a request, and as the words of a command.
 */

import { memberWords, textOf, valueEntered } from '../../../src/operations/command-words.ts';
import type { Absence, Entry } from '../../../src/operations/member.ts';
import type { Schema } from '../api/contract.ts';

export type Operation = Schema<'Operation'>;

/** A member of an input. The schema of the API has the parts of its entry as optional members. */
export type Member = Omit<Schema<'OperationMember'>, 'entry' | 'absence'> & {
  readonly entry: Entry;
  readonly absence: Absence<unknown>;
};

type Query = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, unknown>>;

/** The members of an operation. */
export function membersOf({ members }: Operation): readonly Member[] {
  return members as readonly Member[]; // The server makes them from such members.
}

/** What the form shows of a member: the text of the address, or what it begins with. */
export function textIn(query: Query, { name, inForm, absence, entry, example }: Member): string {
  const given = query[name];
  if (given !== undefined) return given;
  if (inForm !== null) return flagText(inForm);
  if ('required' in absence) return example;
  if (entry.as === 'seed') return entry.with === undefined || query[entry.with] ? '1' : '';
  return 'initial' in absence && entry.as !== 'quantity' ? flagText(absence.initial) : '';
}

/** The default that an empty field stands for; empty if it has none, or shows it as its value. */
export function initialIn({ absence, entry }: Member): string {
  return 'initial' in absence && entry.as === 'quantity' ? flagText(absence.initial) : '';
}

/** Yes and no are 1 and 0 in an address. */
function flagText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? '1' : '0') : textOf(value);
}

/** The body that an address stands for. What the server refuses is left to it. */
export function bodyOf(operation: Operation, query: Query): Body {
  const values = membersOf(operation).map((member) => {
    const text = textIn(query, member).trim();
    return [member.name, text === '' ? undefined : valueIn(member.entry, text)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function valueIn(entry: Entry, text: string): unknown {
  return entry.as === 'switch' ? text === '1' : valueEntered(entry, text);
}

/** The address of a body. */
export function queryOf(body: object): Record<string, string> {
  const values = Object.entries(body).map(([name, value]) => [name, flagText(value)] as const);
  return Object.fromEntries(values);
}

/** The arguments of the command with the same input. */
export function commandOf(operation: Operation, body: Body): string[] {
  const words = membersOf(operation).flatMap((member) => {
    const { isArgument, ...rest } = member;
    const own = { ...rest, ...(isArgument && { isArgument }) };
    return memberWords(member.name, own, body[member.name]);
  });
  return [operation.name, ...words];
}
