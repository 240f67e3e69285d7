/**
 * @module
 * A member of the input of an operation: its schema with the facts that every shell shows. One definition gives the
 * flag, the member of the body, the field of the form and the row of the documentation.
 */

import { z } from 'zod';
import { LabError } from '../errors.ts';
import type { PolicyName } from '../identity/named-policies.ts';
import { POLICY_NAMES } from '../identity/named-policies.ts';
import type { Policy } from '../identity/policy.ts';
import { policySchema } from '../identity/policy.ts';
import type { QuantityBounds, QuantityKind } from '../quantities.ts';
import { countExamples, QUANTITY_EXAMPLES, quantity } from '../quantities.ts';

/** The ends of a slider with a logarithmic scale, in powers of ten. */
export type Slider = readonly [least: number, most: number];

/** What stands between texts. Those between lines are flags of their own in a command. */
export type Separator = ',' | ' ' | '\n';

/** How a person enters a value. */
export type Entry =
  | { readonly as: 'quantity' | 'quantities'; readonly kind: QuantityKind; readonly slider: Slider }
  /** `bare` is the value of the flag without a text. */
  | { readonly as: 'choice' | 'choices'; readonly of: readonly string[]; readonly bare?: string }
  | { readonly as: 'text' }
  | { readonly as: 'texts'; readonly separator: Separator }
  /** Values by name: `crash=1,loss=2`. Without `of`, the names depend on other members. */
  | { readonly as: 'settings'; readonly of?: readonly string[] }
  | { readonly as: 'model' }
  /** A file in a terminal, and what it contains in a request and in a form. */
  | { readonly as: 'file'; readonly bytesMax?: number | undefined }
  /** A policy: one of these names in a form, and its own flags in a terminal. */
  | { readonly as: 'policy'; readonly of: readonly string[] }
  | { readonly as: 'switch' }
  /**
   * `with` is the member without which nothing is drawn. A seed that `isKey` reveals keys: one that is drawn is a secret
   * of 256 bits, which no shell shows.
   */
  | { readonly as: 'seed'; readonly with?: string; readonly isKey?: true };

/** What a person reads about a member. */
export interface MemberFacts {
  /** The name of the member in a form. */
  readonly label: string;
  /** What it is, as a phrase without a full stop. */
  readonly meaning: string;
  /** A value as a person enters it. */
  readonly example: string;
  /** Whether the command takes it without a flag, because it is what the verb works on. */
  readonly isArgument?: true | undefined;
  /** Whether a form shows it only on request. */
  readonly isFurther?: true | undefined;
  /** The value with which a form begins. By default that of the example if it is required, else none. */
  readonly inForm?: string | boolean | undefined;
  /** What its names mean, for those whose names do not say it. */
  readonly each?: Readonly<Record<string, string>> | undefined;
}

/** What an absent member means: that it is required, the value that it has then, or what is taken in words. */
export type Absence<Value> =
  | { readonly required: true }
  | { readonly initial: Value }
  | { readonly otherwise: string };

/** The schema of a member, which is optional or has a default as its absence says. */
export type Filled<S extends z.ZodType, A> = A extends { readonly initial: unknown }
  ? z.ZodDefault<S>
  : A extends { readonly otherwise: string }
    ? z.ZodOptional<S>
    : S;

export interface Member<S extends z.ZodType = z.ZodType> extends MemberFacts {
  readonly schema: S;
  /** The schema of a request to a server, which can have lower limits. */
  readonly remote: S;
  readonly entry: Entry;
  readonly absence: Absence<unknown>;
}

/** The members of an input, in the order in which people read them. */
export type Members = Readonly<Record<string, Member>>;

/** The input that members describe. */
export type InputOf<M extends Members> = z.output<
  z.ZodObject<{ [Name in keyof M]: M[Name]['schema'] }>
>;

/** A member with a schema of its own. `remote` is the schema of requests, if a server has lower limits. */
export function member<S extends z.ZodType, const F extends MemberFacts & Absence<z.output<S>>>(
  { schema, remote = schema, entry }: Pick<Member<S>, 'schema' | 'entry'> & { readonly remote?: S },
  facts: F,
): Member<Filled<S, F>> {
  // A description keeps the type of its schema, which is generic here.
  const whole = (bare: S) => filled(bare, facts).describe(`${facts.meaning}.`) as Filled<S, F>;
  const { label, meaning, example, isArgument, isFurther, inForm, each } = facts;
  const shown = { label, meaning, example, isArgument, isFurther, inForm, each };
  const own = whole(schema);
  const absence = absenceIn(facts);
  return { ...shown, entry, absence, schema: own, remote: remote === schema ? own : whole(remote) };
}

function absenceIn(facts: Absence<unknown>): Absence<unknown> {
  if ('initial' in facts) return { initial: facts.initial };
  return 'otherwise' in facts ? { otherwise: facts.otherwise } : { required: true };
}

/** The conditional type says the same as each expression: hence the `as`. */
function filled<S extends z.ZodType, F extends object>(schema: S, absence: F): Filled<S, F> {
  // The type of a default depends on the schema, which is generic here.
  if ('initial' in absence) return schema.default(absence.initial as never) as Filled<S, F>;
  const whole = 'otherwise' in absence ? schema.optional() : schema;
  return whole as Filled<S, F>; // The conditional type says the same.
}

interface AmountFacts extends MemberFacts {
  readonly kind: QuantityKind;
  readonly bounds: QuantityBounds;
  /** The largest value of a request, if a server has a lower limit. */
  readonly remoteMax?: number;
  readonly slider: Slider;
}

/** A count, a probability, a time or another number. */
export function amount<const F extends AmountFacts & Absence<number>>(facts: F) {
  const { kind, bounds, remoteMax = bounds.max, slider } = facts;
  const schema = amountSchema(kind, bounds);
  const isLower = remoteMax !== undefined && remoteMax !== bounds.max;
  const remote = isLower ? amountSchema(kind, { ...bounds, max: remoteMax }) : schema;
  return member({ schema, remote, entry: { as: 'quantity', kind, slider } }, facts);
}

interface AmountsFacts extends AmountFacts {
  readonly most: number;
}

/** Several different amounts. One alone can be given as it is. */
export function amounts<const F extends AmountsFacts & Absence<number[]>>(facts: F) {
  const { kind, slider } = facts;
  return member({ schema: amountsSchema(facts), entry: { as: 'quantities', kind, slider } }, facts);
}

/** Several different amounts, or the word `measured`, for which the operation measures the amount. */
export function amountsOrMeasured<
  const F extends AmountsFacts & Absence<number[] | typeof MEASURED>,
>(facts: F) {
  const { kind, slider } = facts;
  // What a person enters is a list, even if it is one word.
  const word = z.literal(MEASURED);
  const worded = z.union([word, z.tuple([word])]).transform(() => MEASURED);
  const schema = z.union([worded, amountsSchema(facts)], `${amountsRule(facts)}, or ${MEASURED}`);
  return member({ schema, entry: { as: 'quantities', kind, slider } }, facts);
}

const MEASURED = 'measured';

function amountsSchema(facts: AmountsFacts) {
  const { kind, bounds, most } = facts;
  const each = amountSchema(kind, bounds);
  const rule = amountsRule(facts);
  return z
    .union([each, z.array(each).min(1, rule).max(most, rule)], rule)
    .transform((given) => (typeof given === 'number' ? [given] : given))
    .refine((given) => new Set(given).size === given.length, rule);
}

function amountsRule({ kind, bounds, most }: AmountsFacts): string {
  return `must be ${boundsText(kind, bounds)}; several are 1 to ${most} different ones`;
}

function amountSchema(kind: QuantityKind, bounds: QuantityBounds) {
  return quantity(kind, bounds, `must be ${boundsText(kind, bounds)}`);
}

const KIND_WORDS: Readonly<Record<QuantityKind, string>> = {
  count: 'a whole number',
  probability: 'a probability',
  time: 'a time',
  number: 'a number',
};

const TINY = 0.01;

/** The bounds in words, with examples. */
function boundsText(kind: QuantityKind, { min, max, above, below }: QuantityBounds): string {
  if (kind === 'count' && min !== undefined && max !== undefined) {
    return `a whole number in ${min}..${max}${countExamples(min, max)}`;
  }
  // Bounds that only the precision of doubles needs are not what a person thinks of.
  const least = min !== undefined && min > 0 && min < TINY ? 0 : above;
  const most = kind === 'probability' && max !== undefined && max < 1 ? 1 : below;
  const ends = Object.entries({ above: least, 'at least': min, below: most, 'at most': max })
    .filter(([, end]) => end !== undefined)
    .map(([words, end]) => `${words} ${end}`);
  return `${KIND_WORDS[kind]} ${ends.join(', ')}, such as ${QUANTITY_EXAMPLES[kind]}`;
}

/** One of some names. */
export function choice<const Name extends string, const F extends MemberFacts & Absence<Name>>(
  names: readonly Name[],
  facts: F,
) {
  return member({ schema: nameSchema(names), entry: { as: 'choice', of: names } }, facts);
}

/** Some of these names, each once; at least one if the absent member does not mean none. */
export function choices<const Name extends string, const F extends MemberFacts & Absence<Name[]>>(
  names: readonly Name[],
  facts: F,
  bare?: NoInfer<Name>,
) {
  const isSome = !('initial' in facts && facts.initial.length === 0);
  const schema = z
    .array(nameSchema(names))
    .min(isSome ? 1 : 0, 'must have a name')
    .max(names.length)
    .refine((given) => new Set(given).size === given.length, 'must have each name once')
    .meta({ uniqueItems: true });
  const entry = { as: 'choices', of: names, ...(bare !== undefined && { bare }) } as const;
  return member({ schema, entry }, facts);
}

function nameSchema<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

/** Yes or no. */
export function toggle<const F extends MemberFacts & Absence<boolean>>(facts: F) {
  return member({ schema: z.boolean(), entry: { as: 'switch' } }, facts);
}

/** Some texts that `read` accepts. It throws LabError for the others. No text contains the separator. */
export function texts<const F extends MemberFacts & Absence<string[]>>(
  { most, longest = TEXT_MAX, read, separator }: TextRules,
  facts: F,
) {
  return member(
    {
      schema: z.array(readable(read, longest)).min(1).max(most),
      entry: { as: 'texts', separator },
    },
    facts,
  );
}

/** A text that `read` accepts. */
export function readable(read: TextRules['read'], longest = TEXT_MAX) {
  return z.string().max(longest).superRefine(accepted(read));
}

/** A text that `read` accepts. A request can have the number or the list of numbers that the rules allow in its place. */
export function text<const F extends MemberFacts & Absence<string>>(
  { read, longest = TEXT_MAX, number, list }: Omit<TextRules, 'most' | 'separator'>,
  facts: F,
) {
  const within = ({ min, max }: Range) => z.int().min(min).max(max);
  const others = [
    ...(number === undefined ? [] : [within(number)]),
    ...(list === undefined ? [] : [z.array(within(list)).min(1).max(list.most)]),
  ];
  const bare = z.string('must be text').max(longest);
  const schema = (
    others.length === 0
      ? bare
      : z.union([bare, ...others], 'must be text, or the numbers that it stands for')
  ).superRefine(accepted(read));
  return member<typeof schema, F>({ schema, entry: { as: 'text' } }, facts);
}

/** Refuses what `read` refuses, without the value if the refusal begins with it. */
export function accepted(read: TextRules['read']) {
  return (value: string | number | number[], context: z.RefinementCtx) => {
    const given = String(value);
    const refusal = refusalOf(() => read(given));
    if (refusal === null) return;
    const message = refusal.split(`${JSON.stringify(given)} `).at(-1) ?? refusal;
    context.addIssue({ code: 'custom', message });
  };
}

/** Why work refuses what it is given; null if it does not. */
export function refusalOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof LabError) return error.message;
    throw error;
  }
}

/** Values by name, in an object or as a person enters them. */
export function settings<S extends z.ZodType, const F extends MemberFacts & Absence<z.output<S>>>(
  { schema, of }: { readonly schema: S; readonly of?: readonly string[] },
  facts: F,
) {
  return member({ schema, entry: { as: 'settings', ...(of && { of }) } }, facts);
}

interface Range {
  readonly min: number;
  readonly max: number;
}

interface TextRules {
  readonly most: number;
  readonly longest?: number;
  readonly read: (text: string) => unknown;
  /** A number that a request can have in place of a text. */
  readonly number?: Range;
  /** Numbers that a request can have in place of a text. */
  readonly list?: Range & { readonly most: number };
  readonly separator: Separator;
}

const TEXT_MAX = 200;

/** The policy under which identities join. */
export function policy<const F extends MemberFacts & Absence<Policy | PolicyName>>(facts: F) {
  const schema = z.union(
    [z.enum(POLICY_NAMES), policySchema],
    `must be a policy, or one of ${POLICY_NAMES.join(', ')}`,
  );
  return member({ schema, entry: { as: 'policy', of: POLICY_NAMES } }, facts);
}

const SEED_ENTRY = {
  schema: z
    .string('must be a decimal string')
    .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be the decimal digits of an integer in 0..2^256-1'),
  entry: { as: 'seed' },
} as const;

const SEED_FACTS = {
  ...({ label: 'Seed', example: '1', isFurther: true } as const),
  meaning: 'Seed of all random draws, as decimal digits',
};

/** The seed of an experiment. The shell chooses one if it is absent, and says which. */
export const SEED = member(SEED_ENTRY, { ...SEED_FACTS, otherwise: 'chosen and printed' });

/** A seed that is 1 by default, so that the answer is the same for every reader. */
export const FIXED_SEED = member(SEED_ENTRY, { ...SEED_FACTS, initial: '1' });
