/**
 * @module
 * The routes of what the registries list: behaviours, defences, failure detectors, policies, and the terms of
 * the glossary. Each list has a route for one of its entries by name.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { AIMS } from '../../src/adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES } from '../../src/adversary/behaviours/registry.ts';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import { DETECTOR_NAMES, DETECTORS } from '../../src/election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { LabError } from '../../src/errors.ts';
import { listedBehaviours, listedDefences } from '../../src/experiment/attack/listed.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../src/identity/named-policies.ts';
import { CHECK_NAMES, policySchema } from '../../src/identity/policy.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { allOperations } from '../../src/operations/registry.ts';
import { withArticle } from '../../src/printable.ts';
import { parseSeed } from '../../src/random.ts';
import { readGlossary } from '../../src/runtime/files/glossary.ts';
import { SCENARIOS } from '../../src/simulation/scenarios/registry.ts';
import type { Scenario } from '../../src/simulation/scenarios/scenario.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, NO_QUERY } from '../contract/router.ts';
import { runNamesOf } from '../elections/live/ready-made.ts';

const fitsSchema = z
  .array(z.enum(PROTOCOL_NAMES))
  .describe('The protocols on which it has an effect.');

const behaviourSchema = z
  .object({
    name: z.enum(BEHAVIOUR_NAMES),
    attack: z.string().describe('Code of the attack.'),
    aim: z.enum(AIMS),
    forge: z.enum(['top', 'none']).describe('What an adversary forges for it by default.'),
    summary: z.string(),
    fits: fitsSchema,
  })
  .meta({ id: 'Behaviour' });

const defenceSchema = z
  .object({
    name: z.string(),
    code: z.string(),
    needsLevel: z.enum(LEVELS).nullable().describe('The level that it needs; null if none.'),
    summary: z.string(),
    fits: fitsSchema,
    forgedOnly: z
      .array(z.enum(PROTOCOL_NAMES))
      .describe('Those on which it has an effect only against forged identities.'),
    limits: z
      .array(z.object({ protocols: z.array(z.enum(PROTOCOL_NAMES)), limit: z.string() }))
      .describe('The protocols on which a part of its effect is missing.'),
  })
  .meta({ id: 'Defence' });

const detectorSchema = z
  .object({
    name: z.enum(DETECTOR_NAMES),
    rule: z.string(),
    messageBound: z.string(),
    source: z.string(),
    options: z.array(z.string()).describe('Their names in `detector`, as name:option=value.'),
  })
  .meta({ id: 'Detector' });

const scenarioEntrySchema = z
  .object({
    name: z.string(),
    title: z.string(),
    explanation: z.string().describe('What to look for, and why it happens.'),
    source: z.string(),
    nodes: z
      .object({ usual: z.int(), min: z.int(), max: z.int() })
      .describe('How many nodes it can have.'),
    runs: z.array(z.string()).describe('Its runs, each of which is an election.'),
    expected: z
      .string()
      .describe('What is expected of the runs together, with the usual number of nodes.'),
  })
  .meta({ id: 'Scenario' });

const namedPolicySchema = z
  .object({
    name: z.enum(POLICY_NAMES),
    summary: z.string(),
    weakness: z
      .object({
        flaw: z.string().describe('How an adversary profits from it.'),
        gain: z.string().describe('What the attack obtains.'),
        cost: z.string().describe('Its expected cost, as a formula.'),
        refusedBy: z.enum(CHECK_NAMES).describe('The check of the strict policy that refuses it.'),
      })
      .nullable()
      .describe('Null if it is sound.'),
    reference: z.string(),
    policy: policySchema,
  })
  .meta({ id: 'NamedPolicy' });

const memberSchema = z
  .object({
    name: z.string(),
    label: z.string(),
    meaning: z.string(),
    example: z.string().describe('A value as a person enters it.'),
    entry: z
      .object({
        as: z.enum([
          ...(['quantity', 'quantities', 'choice', 'choices'] as const),
          ...(['text', 'texts', 'settings', 'model', 'file', 'policy', 'switch', 'seed'] as const),
        ]),
        kind: z.enum(['count', 'probability', 'time', 'number']).optional(),
        slider: z
          .array(z.number())
          .readonly()
          .optional()
          .describe('The ends of its slider, in powers of ten.'),
        separator: z.string().optional().describe('Between several texts.'),
        with: z.string().optional().describe('The member without which a seed draws nothing.'),
        isKey: z.boolean().optional().describe('Whether a seed reveals keys.'),
        of: z.array(z.string()).readonly().optional().describe('The names that it can have.'),
        bare: z.string().optional().describe('The value of its flag without a text.'),
      })
      .describe('How a person enters it.'),
    absence: z
      .object({
        required: z.literal(true).optional(),
        initial: z.unknown().optional().describe('The value that it has if it is absent.'),
        otherwise: z.string().optional().describe('What is taken if it is absent, in words.'),
      })
      .describe('What its absence means.'),
    isArgument: z.boolean().describe('Whether the command takes it without a flag.'),
    isFurther: z.boolean().describe('Whether a form shows it on request only.'),
    inForm: z
      .union([z.string(), z.boolean()])
      .nullable()
      .describe('The value with which a form begins; null if that is the example or none.'),
    each: z
      .record(z.string(), z.string())
      .optional()
      .describe('What its names mean, for those whose names do not say it.'),
  })
  .meta({ id: 'OperationMember' });

const operationSchema = z
  .object({
    name: z.string().describe('The verb of the command, and the kind of its jobs.'),
    collection: z.string().describe('Where it is submitted: POST /v1/{collection}.'),
    title: z.string(),
    summary: z.string(),
    description: z.string(),
    answersWhileTyping: z.boolean().describe('Whether its usual answers take milliseconds.'),
    members: z.array(memberSchema).describe('The members of its input.'),
  })
  .meta({ id: 'Operation' });

const termSchema = z
  .object({
    name: z.string().meta({ example: 'rank-key' }),
    term: z.string(),
    meaning: z.string(),
    section: z.string(),
  })
  .meta({ id: 'Term' });

interface Listing<Plural extends string, Entry extends z.ZodType<{ readonly name: string }>> {
  /** The name of the collection in its path. */
  readonly plural: Plural;
  readonly noun: string;
  /** The noun in names of operations. */
  readonly id: string;
  readonly ids: string;
  readonly tag: string;
  readonly example: string;
  readonly schema: Entry;
  readonly entries: () => readonly z.output<Entry>[];
}

/** The routes of a list and of its entries by name. */
export function listingRouter<
  const Plural extends string,
  Entry extends z.ZodType<{ readonly name: string }>,
>({ plural, noun, id, ids, tag, example, schema, entries }: Listing<Plural, Entry>) {
  const collection = `/v1/${plural}` as const;
  const listRoute = createRoute({
    method: 'get',
    path: collection,
    operationId: `list${ids}`,
    tags: [tag],
    summary: `List the ${plural.replace('-', ' ')}`,
    request: { query: pageQuerySchema },
    responses: { ...pageResponse(schema, 'A page in the order of the names.'), ...refusals() },
  });
  const readRoute = createRoute({
    method: 'get',
    path: `${collection}/{name}` as const,
    operationId: `get${id}`,
    tags: [tag],
    summary: `Get ${withArticle(noun)}`,
    request: {
      params: z.strictObject({ name: z.string().max(64).meta({ example }) }),
      query: NO_QUERY,
    },
    responses: { 200: jsonAnswer(schema, `The ${noun}.`), ...refusals(404) },
  });
  // Some entries take long to make, and most servers are never asked for them.
  let made: readonly z.output<Entry>[] | null = null;
  const ordered = () => {
    made ??= entries().toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return made;
  };
  return createRouter()
    .openapi(listRoute, (c) => {
      // The schema of this route. Its type is not resolved while the path is generic.
      const query = c.req.valid('query' as never) as z.output<typeof pageQuerySchema>;
      return c.json(
        pageOf(ordered(), ({ name }) => name, query),
        200,
      );
    })
    .openapi(readRoute, (c) => {
      const asked = String(c.req.param('name'));
      const found = ordered().find(({ name }) => name === asked);
      if (found === undefined) throw new LabError('not_found', `there is no ${noun} of this name`);
      return c.json(found, 200);
    });
}

/** What the registries list. */
const LISTINGS = [
  listingRouter({
    plural: 'behaviours',
    noun: 'behaviour',
    id: 'Behaviour',
    ids: 'Behaviours',
    tag: 'experiments',
    example: 'phantom-id',
    schema: behaviourSchema,
    entries: () => listedBehaviours(PROTOCOL_NAMES),
  }),
  listingRouter({
    plural: 'defences',
    noun: 'defence',
    id: 'Defence',
    ids: 'Defences',
    tag: 'experiments',
    example: 'hop-limit',
    schema: defenceSchema,
    entries: () => listedDefences(PROTOCOL_NAMES),
  }),
  listingRouter({
    plural: 'detectors',
    noun: 'failure detector',
    id: 'Detector',
    ids: 'Detectors',
    tag: 'elections',
    example: 'fd-heartbeat',
    schema: detectorSchema,
    entries: () => DETECTOR_NAMES.map(detectorView),
  }),
  listingRouter({
    plural: 'scenarios',
    noun: 'scenario',
    id: 'Scenario',
    ids: 'Scenarios',
    tag: 'elections',
    example: 'split-brain',
    schema: scenarioEntrySchema,
    entries: () => SCENARIOS.map(scenarioView),
  }),
  listingRouter({
    plural: 'policies',
    noun: 'policy',
    id: 'NamedPolicy',
    ids: 'NamedPolicies',
    tag: 'identities',
    example: 'strict',
    schema: namedPolicySchema,
    entries: () => POLICY_NAMES.map(policyView),
  }),
  listingRouter({
    plural: 'operations',
    noun: 'operation',
    id: 'Operation',
    ids: 'Operations',
    tag: 'operations',
    example: 'design',
    schema: operationSchema,
    entries: () => allOperations().map(operationView),
  }),
  listingRouter({
    plural: 'glossary',
    noun: 'term',
    id: 'Term',
    ids: 'Terms',
    tag: 'service',
    example: 'rank-key',
    schema: termSchema,
    entries: readGlossary,
  }),
] as const;

/** The routes about what the registries list. */
export function createEntryRoutes() {
  const router = createRouter();
  for (const listing of LISTINGS) router.route('/', listing);
  return router;
}

function policyView(name: (typeof POLICY_NAMES)[number]): z.output<typeof namedPolicySchema> {
  const { weakness, summary, reference, policy } = NAMED_POLICIES[name];
  const { flaw = '', gain = '', cost = '', refusedBy } = weakness ?? {};
  const shown = refusedBy === undefined ? null : { flaw, gain, cost, refusedBy };
  return { name, summary, reference, policy, weakness: shown };
}

function operationView(operation: Operation): z.output<typeof operationSchema> {
  const { name, collection, title, summary, description, answersWhileTyping } = operation;
  const members = Object.entries(operation.members).map(([key, member]) => {
    const { label, meaning, example, entry, absence, isArgument, isFurther, inForm, each } = member;
    return {
      name: key,
      label,
      meaning,
      example,
      entry,
      absence: { ...absence },
      isArgument: isArgument === true,
      isFurther: isFurther === true,
      inForm: inForm ?? null,
      ...(each && { each: { ...each } }),
    };
  });
  return { name, collection, title, summary, description, answersWhileTyping, members };
}

function scenarioView(scenario: Scenario): z.output<typeof scenarioEntrySchema> {
  const { name, title, explanation, source, nodes } = scenario;
  const runs = [...runNamesOf(scenario, ANY_SEED)];
  const { sentence: expected } = scenario.expected(nodes.usual);
  return { name, title, explanation, source, nodes, runs, expected };
}

/** No seed changes the names of the runs. */
const ANY_SEED = parseSeed('0');

function detectorView(name: (typeof DETECTOR_NAMES)[number]): z.output<typeof detectorSchema> {
  const { rule, messageBound, source, options } = DETECTORS[name];
  return { name, rule, messageBound, source, options: Object.keys(options) };
}
