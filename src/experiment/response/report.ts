/**
 * @module
 * What reports, tables and replay commands contain of a response.
 */

import { z } from 'zod';

import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { aimedOf, identitiesMaxOf, responseOf } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, armsOf, mayForge, runKindOf } from '../document/threat-model.ts';
import { counted } from '../document/wording.ts';
import { MODEL_AIMS } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { KEY_PLAN_NAMES } from '../theory/epoch-conduct.ts';
import type { ChosenResponse } from './settle.ts';
import { ORIGINS } from './settle.ts';
import { rulesOf } from './space.ts';

/** A response in words. */
export const responseSchema = z.object({
  adversary: z.string(),
  protocols: z.array(z.enum(PROTOCOL_NAMES)).readonly().describe('Empty if no election is held.'),
  aim: z.enum(MODEL_AIMS),
  count: z
    .string()
    .describe('Identities that it forges and registers: none, one, all or a number.'),
  where: z.string(),
  when: z.string(),
  behaviours: z.array(z.enum(BEHAVIOUR_NAMES)).readonly(),
  found: z
    .enum(ORIGINS)
    .describe(
      'fixed: by the document. argued: it follows from the rules. exhaustive: the best of all in pilot runs. best-found: the best of those that were tried.',
    ),
  reason: z.string(),
  notSearched: z.array(z.string()).readonly(),
  plan: z.enum(KEY_PLAN_NAMES).optional().describe('What it does with its keys, with epochs.'),
});

export type ResponseReport = z.output<typeof responseSchema>;

export function responseReport(model: ThreatModel, chosen: ChosenResponse): ResponseReport {
  const { adversary, protocols, aim, response, plan, origin, reason, notSearched } = chosen;
  const kind = runKindOf(model);
  const hasElections = kind === 'ranking' || kind === 'watched';
  const most = identitiesMaxOf(response.goal) ?? 1;
  const wanted = plan === 'informed' ? model.expect.count : most;
  const own = adversariesOf(model).find(([name]) => name === adversary)?.[1];
  const registered =
    own !== undefined && !mayForge(own)
      ? ordinaryOnly(own.identities)
      : {
          count:
            wanted === Number.POSITIVE_INFINITY ? 'all' : wanted === 1 ? 'one' : String(wanted),
          where: whereText(model, chosen),
          when: kind === 'epochs' ? 'in the window of each epoch' : WHEN[response.registers],
        };
  return {
    adversary,
    protocols: hasElections ? protocols : [],
    aim,
    ...registered,
    behaviours: response.behaviours,
    found: origin,
    reason,
    notSearched,
    ...(plan === undefined ? {} : { plan }),
  };
}

/** Count, ranks and time of registration of an adversary that forges no identity. */
function ordinaryOnly(identities: number) {
  const own = counted(identities, 'ordinary identity');
  const where = identities === 0 ? 'without any identity' : `${own}, at the lowest ranks`;
  return { count: 'none', where, when: WHEN.before };
}

const WHEN = {
  before: 'before registration closes',
  after: 'after the honest nodes are known',
} as const;

const AFTER_VICTIM = 'between the victim and the next honest node';

function whereText(
  model: ThreatModel,
  { response: { goal, registers }, plan }: ChosenResponse,
): string {
  const isOfVictim = model.expect.property === 'successors-captured';
  if (plan === 'informed') return isOfVictim ? AFTER_VICTIM : 'above every honest node ID';
  const [beacon] = rulesOf(model).drawing;
  if (beacon !== undefined) return `without effect, as ${beacon} draws the ranks later`;
  const region = aimedOf(goal)?.region;
  if (region === undefined) return identitiesMaxOf(goal) === null ? goal : 'wherever they fall';
  if (region === 'successors') return AFTER_VICTIM;
  return registers === 'after' ? 'above every honest node ID' : 'its highest, wherever that falls';
}

/** The settings that fix the responses of a settled model which were searched. */
export function searchedSettings(
  model: ThreatModel,
  chosen: readonly ChosenResponse[],
): readonly string[] {
  const isSearched = chosen.some(({ pilotRuns }) => pilotRuns > 0);
  return isSearched ? responseSettings(model) : [];
}

/** The settings that fix all responses of a settled model. */
function responseSettings(model: ThreatModel): readonly string[] {
  return adversariesOf(model).flatMap(([name, adversary]) => {
    const path = `adversaries.${name}`;
    const { responses } = adversary;
    if (responses === undefined) {
      return partTexts(adversary).map(([part, text]) => `${path}.${part}=${text}`);
    }
    const parts = Object.entries(responses).map(([protocol, own]) => {
      const members = partTexts(own).map(([part, text]) => `${part}: ${text}`);
      return `${protocol}: {${members.join(', ')}}`;
    });
    return [`${path}.responses={${parts.join(', ')}}`];
  });
}

function partTexts(
  parts: Parameters<typeof responseOf>[0],
): readonly (readonly [string, string])[] {
  const { goal, registers, behaviours } = responseOf(parts);
  return [
    ['goal', /^[a-z]+$/.test(goal) ? goal : JSON.stringify(goal)],
    ['registers', registers],
    ['behaviours', `[${behaviours.join(', ')}]`],
  ];
}

/** A response on one line, for tables. */
export function responseText({ count, where, when, behaviours, plan }: ResponseReport): string {
  const follows = plan === undefined ? 'follows the protocol' : `plan ${plan}`;
  const acts = behaviours.length === 0 ? follows : behaviours.join(', ');
  if (count === 'none') return `no forged identity, ${where}; ${acts}`;
  const identities = count === 'one' ? 'one identity' : `${count} identities`;
  return `${identities}, ${where}, ${when}; ${acts}`;
}

/** What a defence against newcomers does to the adversary and to honest nodes. Null if it has no effect. */
export function newcomersRemark(model: ThreatModel): string | null {
  const remarks = armsOf(model).flatMap((arm) => remarkOn(arm.model) ?? []);
  return remarks[0] ?? null;
}

/**
 * That a verdict in favour of the network is about one response, because no run of another one was made. Null
 * for any other verdict.
 */
export function unsearchedRemark(
  value: 'true' | 'false' | 'unknown',
  { expect }: ThreatModel,
  responses: readonly ChosenResponse[],
): string | null {
  const isLimit = expect.comparison === 'at-most';
  const isFavourable = (PROPERTIES[expect.property].underAttack === 'holds') === isLimit;
  const isUnsearched = responses.some(
    ({ origin, pilotRuns }) => origin === 'best-found' && pilotRuns === 0,
  );
  if (value !== 'true' || !isFavourable || !isUnsearched) return null;
  return 'No other response of the adversary was searched: the verdict is about the stated response alone.';
}

function remarkOn(model: ThreatModel): string | null {
  const { refusing, holdingOff } = rulesOf(model);
  const responses = adversariesOf(model).map(([, adversary]) => responseOf(adversary));
  const [refused] = refusing;
  const [heldOff] = holdingOff;
  const isLate = responses.some(({ registers }) => registers === 'after');
  const joinsLate = responses.some(({ behaviours }) =>
    behaviours.some((name) => BEHAVIOURS[name].comesLate),
  );
  if (refused !== undefined && isLate) {
    return `The defence ${refused} refuses newcomers, so that identities which the adversary makes late are not admitted; it refuses honest newcomers too.`;
  }
  if (heldOff !== undefined && joinsLate) {
    return `The defence ${heldOff} keeps newcomers from the lead for a term; it keeps honest newcomers from it too.`;
  }
  return null;
}
