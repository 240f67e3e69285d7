/**
 * @module
 * The members of requests that change a threat model: `set` has one value for each path, and `axes` has the
 * values of a grid. They become the texts that `--set` takes on the command line, so that the replay command
 * of an answer computes the same.
 */

import { z } from '@hono/zod-openapi';

import { jsonPointer } from '../../src/errors.ts';
import { SETTING_CHARACTERS_MAX } from '../../src/experiment/document/limits.ts';
import type { Setting } from '../../src/experiment/reading/settings.ts';
import { settingOf, settingTo } from '../../src/experiment/reading/settings.ts';
import { flowText } from '../../src/experiment/reading/yaml.ts';
import type { SetRequest } from '../../src/experiment/sweep/axes.ts';
import { listedAxis, readSet } from '../../src/experiment/sweep/axes.ts';
import type { setSchema } from '../../src/operations/model.ts';
import {
  FEW_RULE,
  isFew,
  pathSchema,
  settingText,
  settingValueSchema,
} from '../../src/operations/model.ts';
import { pointingAt } from '../contract/faults.ts';

export type SetMembers = Readonly<z.output<typeof setSchema>>;

const LIST_RULE = 'must have 2 to 10000 values; a single value belongs to set';
const RANGE_RULE = 'must be a list of values, range(8,28,2), or the geometric 2^10:2^18|*2';

/** The axes of a grid in the form of a document's `sweep.axes`: several values for each path. */
export const axesSchema = z
  .record(
    pathSchema,
    z.union(
      [
        z.array(settingValueSchema).min(2, LIST_RULE).max(10_000, LIST_RULE),
        z
          .string(RANGE_RULE)
          .max(SETTING_CHARACTERS_MAX, RANGE_RULE)
          .regex(/^(?:range\(.+\)|.+\|\*.+)$/, RANGE_RULE),
      ],
      RANGE_RULE,
    ),
  )
  .refine(isFew, FEW_RULE)
  .meta({
    description:
      'The values of each setting that varies, by path: a list, range(8,28,2), or the geometric 2^10:2^18|*2. Without axes, those of the document are used.',
    example: { 'network.honest': [4, 8], 'network.identity.c1': 'range(8,12,2)' },
  });

export type AxesMembers = Readonly<z.output<typeof axesSchema>>;

/** The settings of a request. Throws LabError `arguments`, which points at the member with the fault. */
export function settingsIn(set: SetMembers): Setting[] {
  return Object.entries(set).map(([path, value]) =>
    pointingAt(jsonPointer(['set', path]), () => settingTo(path, value, settingText(path, value))),
  );
}

/** An axis or a setting with its text, as `--set` takes it. */
export interface GridMember {
  readonly request: SetRequest;
  readonly text: string;
}

/** Axes, then settings. Throws LabError, which points at the member with the fault. */
export function gridIn(set: SetMembers, axes: AxesMembers): GridMember[] {
  const varied = Object.entries(axes).map(([path, values]) =>
    pointingAt(jsonPointer(['axes', path]), () => axisIn(path, values)),
  );
  const fixed = settingsIn(set).map((setting): GridMember => {
    return { request: { type: 'setting', setting }, text: setting.text };
  });
  return [...varied, ...fixed];
}

/** The values of a list are checked as they are, because a list can have thousands. */
function axisIn(path: string, values: AxesMembers[string]): GridMember {
  // An axis is checked as a setting is, before its cells are made.
  settingOf(path, null);
  if (typeof values === 'string') {
    const text = `${path}=${values}`;
    return { request: readSet(text), text };
  }
  const axis = listedAxis(path, values);
  return { request: { type: 'axis', axis }, text: `${path}=${values.map(flowText).join(',')}` };
}
