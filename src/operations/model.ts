/**
 * @module
 * The members of an input that name a threat model and change it.
 */

import { z } from 'zod';

import {
  REMOTE_ROWS_MAX,
  RUNS_MAX,
  SETTING_CHARACTERS_MAX,
  SETTINGS_MAX,
} from '../experiment/document/limits.ts';
import type { ThreatModel } from '../experiment/document/threat-model.ts';
import { readSetting } from '../experiment/reading/settings.ts';
import { flowText } from '../experiment/reading/yaml.ts';
import type { Absence, Member, MemberFacts } from './member.ts';
import { amount, member, readable, refusalOf } from './member.ts';

/** A threat model, and what stands for it in commands: its id, or the file in which the caller keeps it. */
export interface NamedModel {
  readonly name: string;
  readonly model: ThreatModel;
}

/** A whole threat model in a request. Its members are checked later. */
export const documentSchema = z.record(z.string(), z.unknown()).meta({
  id: 'ThreatModelDocument',
  description: 'A threat model with the members of those of GET /v1/threat-models.',
});

/** A threat model in a request. */
export const modelSourceSchema = z
  .union(
    [z.string().min(1).max(64), documentSchema],
    'must be an id of GET /v1/threat-models or a whole threat model',
  )
  .meta({
    description:
      'An id of GET /v1/threat-models, or a whole threat model. For a document, the replay command reads the file ID.yaml: save the document with that name.',
    example: 'top-id',
  });

/**
 * A threat model. A shell puts the model in the place of its name before the operation has it: a terminal reads the
 * file, and a server takes that of its catalogue or the whole document of the request.
 */
export function threatModel(facts: Pick<MemberFacts, 'example'> & Absence<string>) {
  const entered: z.ZodType<unknown> = z.string().min(1);
  const whole: Member = member(
    { schema: entered, remote: modelSourceSchema, entry: { as: 'model' } },
    {
      label: 'Threat model',
      meaning: 'Id of a threat model of the catalogue',
      isArgument: true,
      ...facts,
    },
  );
  // The type says what the operation receives, and the schemas check what is entered.
  return whole as Member<z.ZodType<NamedModel>>;
}

const VALUE_RULE = 'must be text, a number, true, false, null, or a list of texts and numbers';

/** The path of a member of a threat model. */
export const pathSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,199}$/);

/** A value of a member in a request. */
export const settingValueSchema = z.union(
  [
    z.string().max(256),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(z.union([z.string().max(64), z.number()], 'must be text or a number')).max(64),
  ],
  VALUE_RULE,
);

/** The rule of `isFew`. */
export const FEW_RULE = `must have at most ${SETTINGS_MAX} members`;

/** Whether there are no more settings than one request may have. */
export function isFew(record: object): boolean {
  return Object.keys(record).length <= SETTINGS_MAX;
}

/** Changes of a document in a request: one value for each path. */
export const setSchema = z
  .record(pathSchema, settingValueSchema)
  .refine(isFew, FEW_RULE)
  .meta({
    description: 'Changes of the document, by path. null removes a member.',
    example: { work: 'sampled' },
  });

/** A change as the text that `--set` takes. */
export function settingText(path: string, value: z.output<typeof settingValueSchema>): string {
  // `--set` of a sweep would read such a text as several values.
  const isQuoted = typeof value === 'string' && /[,|(]/.test(value);
  return `${path}=${isQuoted ? JSON.stringify(value) : flowText(value)}`;
}

const settingTexts = z.union([
  z.array(readable(readSetting, SETTING_CHARACTERS_MAX)).max(SETTINGS_MAX),
  setSchema
    .superRefine((set, context) => {
      for (const [path, value] of Object.entries(set)) {
        const refusal = refusalOf(() => readSetting(settingText(path, value)));
        if (refusal !== null) context.addIssue({ code: 'custom', path: [path], message: refusal });
      }
    })
    .transform((set) => Object.entries(set).map(([path, value]) => settingText(path, value))),
]);

const NO_TEXTS: string[] = [];

/** Changes of the threat model. A request has one value for each path, or the texts of a command. */
export const SET = member(
  { schema: settingTexts, entry: { as: 'texts', separator: '\n' } },
  {
    label: 'Settings',
    meaning: 'Setting of the threat model, as path=value',
    example: 'network.honest=9',
    isFurther: true,
    initial: NO_TEXTS,
  },
);

/** The runs of each cell of a sweep. */
export const CELL_RUNS = amount({
  kind: 'count',
  bounds: { min: 1, max: RUNS_MAX },
  remoteMax: REMOTE_ROWS_MAX,
  slider: [0, 5],
  label: 'Runs',
  meaning: 'Number of runs of each cell',
  example: '20',
  otherwise: 'that of the model',
});
