/**
 * @module
 * Faults of a threat model, from zod's issues and from contradictions: the member, what is wrong with it, and
 * what would be right. An unknown member is reported with the nearest known one.
 */

import type { z } from 'zod';
import { FAULTS_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { threatModelJsonSchema, threatModelSchema } from '../document/threat-model.ts';
import { contradictions } from './consistency.ts';
import { isKnownPath, knownMembers, nearestPath, suggestion } from './nearest.ts';

/** One wrong thing in a threat model. */
export interface Fault {
  /** From the root. */
  readonly path: readonly string[];
  /** Whether the path points at a key, which has a position of its own, or at a value. */
  readonly at: 'key' | 'value';
  /** Whether the member is missing, often because its name is misspelt, which is another fault. */
  readonly isMissing: boolean;
  /** The member by its dotted name, what is wrong, what would be right. */
  readonly text: string;
}

export type Checked =
  | { readonly outcome: 'valid'; readonly model: ThreatModel }
  | { readonly outcome: 'invalid'; readonly faults: readonly Fault[] };

/** Validates plain data: first each member, then all members together. */
export function checkThreatModel(data: unknown): Checked {
  const result = threatModelSchema.safeParse(data, { reportInput: true });
  const faults = result.success
    ? faultsTogether(result.data)
    : result.error.issues.flatMap(faultsOf);
  if (result.success && faults.length === 0) return { outcome: 'valid', model: result.data };
  const first = new Map(faults.toReversed().map((fault) => [fault.text, fault]));
  return { outcome: 'invalid', faults: faults.filter((fault) => first.get(fault.text) === fault) };
}

function faultsTogether(model: ThreatModel): readonly Fault[] {
  const unknownAxes = Object.keys(model.sweep?.axes ?? {})
    .filter((path) => !isKnownPath(threatModelJsonSchema(), path.split('.')))
    .map((path): Fault => ({ ...unknownMember(path.split('.')), path: ['sweep', 'axes', path] }));
  const contradicting = [...contradictions(model)].map(({ path, message }): Fault => {
    return { path, at: 'value', isMissing: false, text: `${nameOf(path)} ${message}` };
  });
  return [...contradicting, ...unknownAxes];
}

/** The fault of a member that does not exist. */
export function unknownMember(path: readonly string[]): Fault {
  const schema = threatModelJsonSchema();
  const parent = path.slice(0, -1);
  const members = knownMembers(schema, parent);
  const where = parent.length === 0 ? 'the document' : parent.join('.');
  const known = members.length === 0 ? 'no members' : members.join(', ');
  const near = nearestPath(schema, path);
  const meant = near === null ? '' : `; did you mean ${near}?`;
  const text = `${path.join('.')} is not known${meant} (${where} has ${known})`;
  return { path, at: 'key', isMissing: false, text };
}

function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  const path = issue.path.map(String);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key, index) => {
        const wrong = [...path, key];
        if (index < FAULTS_MAX) return unknownMember(wrong);
        // The search for a similar name takes 0.2 ms.
        return { path: wrong, at: 'key', isMissing: false, text: `${nameOf(wrong)} is not known` };
      });
    case 'invalid_key': {
      const message = issue.issues[0]?.message ?? 'is not a name';
      return [{ path, at: 'key', isMissing: false, text: `${nameOf(path)} ${message}` }];
    }
    case 'custom':
      return [{ path, at: 'value', isMissing: false, text: `${nameOf(path)} ${issue.message}` }];
    default: {
      const isMissing = issue.input === undefined;
      return [{ path, at: 'value', isMissing, text: `${nameOf(path)} ${complaint(issue)}` }];
    }
  }
}

function complaint(issue: z.core.$ZodIssue): string {
  const wanted = wish(issue);
  return issue.input === undefined
    ? `is missing: it ${wanted}`
    : `${wanted}, got ${shown(issue.input)}${meantValue(issue)}`;
}

/** The value of a closed list that an unknown one probably stands for. */
function meantValue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return '';
  return suggestion(issue.values.map(String), issue.input);
}

/** The text of the schema, or a text instead of zod's own ("Invalid input: expected boolean, …"). */
function wish(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type' || !issue.message.startsWith('Invalid input')) {
    return issue.message;
  }
  const isMap = issue.expected === 'object' || issue.expected === 'record';
  return `must be a ${isMap ? 'map of members' : issue.expected}`;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'the document' : path.join('.');
}

function shown(input: unknown): string {
  if (Array.isArray(input)) return `a list of ${input.length}`;
  if (typeof input === 'object' && input !== null) return 'a map';
  // JSON would show NaN and the infinities as null.
  const text = typeof input === 'number' ? String(input) : JSON.stringify(input);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
