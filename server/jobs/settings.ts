/**
 * @module
 * The members of requests that change a threat model: `set` has one value for each path, and `axes` has the
 * values of a grid. They become the texts that `--set` takes on the command line, so that the replay command
 * of an answer computes the same.
 */

import { z } from '@hono/zod-openapi';
import { stringify } from 'yaml';
import { jsonPointer } from '../../src/errors.ts';
import { SETTING_CHARACTERS_MAX, SETTINGS_MAX } from '../../src/experiment/document/limits.ts';
import type { Setting } from '../../src/experiment/reading/settings.ts';
import { readSetting } from '../../src/experiment/reading/settings.ts';
import { readSet } from '../../src/experiment/sweep/axes.ts';
import { pointingAt } from '../contract/faults.ts';

const pathSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,199}$/);

const VALUE_RULE = 'must be text, a number, true, false, null, or a list of texts and numbers';

const valueSchema = z.union(
  [
    z.string().max(256),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.union([z.string().max(64), z.number()], 'must be text or a number')).max(64),
  ],
  VALUE_RULE,
);

type SetValue = z.output<typeof valueSchema>;

const COUNT_RULE = `must have at most ${SETTINGS_MAX} members`;

function isFew(record: object): boolean {
  return Object.keys(record).length <= SETTINGS_MAX;
}

/** Changes of a document: one value for each path. */
export const setSchema = z
  .record(pathSchema, valueSchema)
  .refine(isFew, COUNT_RULE)
  .meta({
    description: 'Changes of the document, by path. null removes a member.',
    example: { work: 'sampled' },
  });

export type SetMembers = Readonly<z.output<typeof setSchema>>;

const LIST_RULE = 'must have 2 to 10000 values; a single value belongs to set';
const RANGE_RULE = 'must be a list of values, range(8,28,2), or the geometric 2^10:2^18|*2';

/** The axes of a grid in the form of a document's `sweep.axes`: several values for each path. */
export const axesSchema = z
  .record(
    pathSchema,
    z.union(
      [
        z.array(valueSchema).min(2, LIST_RULE).max(10_000, LIST_RULE),
        z
          .string(RANGE_RULE)
          .max(SETTING_CHARACTERS_MAX, RANGE_RULE)
          .regex(/^(?:range\(.+\)|.+\|\*.+)$/, RANGE_RULE),
      ],
      RANGE_RULE,
    ),
  )
  .refine(isFew, COUNT_RULE)
  .meta({
    description:
      'The values of each setting that varies, by path: a list, range(8,28,2), or the geometric 2^10:2^18|*2. Without axes, those of the document are used.',
    example: { 'network.honest': [4, 8], 'network.identity.c1': 'range(8,12,2)' },
  });

export type AxesMembers = Readonly<z.output<typeof axesSchema>>;

/** The settings of a request. Throws LabError `arguments`, which points at the member with the fault. */
export function settingsIn(set: SetMembers): Setting[] {
  return Object.entries(set).map(([path, value]) => {
    const text = settingText(path, value);
    return pointingAt(jsonPointer(['set', path]), () => readSetting(text));
  });
}

/** Settings and axes as `--set` takes them. Throws LabError, which points at the member with the fault. */
export function setTexts(set: SetMembers, axes: AxesMembers): string[] {
  const listed = Object.entries(axes).map(([path, values]) => {
    const text = axisText(path, values);
    pointingAt(jsonPointer(['axes', path]), () => {
      // An axis is checked as a setting is, before its cells are made.
      readSetting(`${path}=null`);
      readSet(text);
    });
    return text;
  });
  return [...listed, ...settingsIn(set).map(({ text }) => text)];
}

function settingText(path: string, value: SetValue): string {
  // `--set` of a sweep would read such a text as several values.
  const isQuoted = typeof value === 'string' && /[,|(]/.test(value);
  return `${path}=${isQuoted ? JSON.stringify(value) : yamlFlow(value)}`;
}

function axisText(path: string, values: AxesMembers[string]): string {
  if (typeof values === 'string') return `${path}=${values}`;
  // Quoted as an element of a list, in which a comma is not part of a text.
  return `${path}=${values.map((value) => yamlFlow([value]).slice(1, -1)).join(',')}`;
}

/** The value on one line of YAML, quoted only if it would be read as another value. */
function yamlFlow(value: unknown): string {
  const form = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const;
  return stringify(value, form).trimEnd();
}
