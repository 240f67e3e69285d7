/**
 * @module
 * The defences of a comparison, each as settings of a threat model: those that a document names, the levels of
 * authentication, and those that are members of the policy or epochs. Which of them act on an adversary that
 * follows the protocol is read from their definitions.
 */

import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { idRuleOf } from '../../identity/ids/node-id.ts';
import { realBits, takesSalt } from '../../mining/policy-cost.ts';
import { bearableDifficulty } from '../design/difficulty.ts';
import { CHOSEN_DEFENCE_NAMES, networkDefence } from '../document/defence-names.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { Setting } from '../reading/settings.ts';
import { settingOf } from '../reading/settings.ts';
import { responseFactsOf } from '../response/space.ts';
import { isLevel } from '../staging/defences.ts';
import type { Salt } from '../theory/epoch-conduct.ts';
import type { ComparedDefence } from './names.ts';
import { isByMembers } from './names.ts';
import type { CompareQuestion, Reference } from './question.ts';

/** 64 MiB in one pass, the first recommendation for memory-constrained machines (RFC 9106 section 4). */
const HARD_PUZZLE = '{function: argon2id, passes: 1, kib: 65536, lanes: 1}';
/** Honest nodes that find an identity in time, for the choice of the bits. */
export const JOIN_QUANTILE = 0.95;

/** The candidates that an honest node tests in time under these defences. */
export function honestAttempts(
  { attempts, seconds }: Reference,
  { hardRate }: Pick<CompareQuestion, 'hardRate'>,
  defences: readonly ComparedDefence[],
): number {
  if (!isMemoryHard(defences)) return attempts;
  if (seconds === null) {
    throw refusal(
      'memory-hard',
      'needs a budget in seconds: attempts do not say how long they take',
    );
  }
  return Math.floor(hardRate * seconds);
}

/** Whether attempts are evaluations of a memory-hard function. */
export function isMemoryHard(defences: readonly ComparedDefence[]): boolean {
  return defences.includes('memory-hard') || defences.includes('memory-hard-id');
}

/** The settings of a set of defences. Throws LabError `arguments` if they do not fit. */
export function defenceSettings(
  reference: Reference,
  question: Pick<CompareQuestion, 'hardRate'>,
  {
    protocol,
    defences,
  }: { readonly protocol: ProtocolName; readonly defences: readonly ComparedDefence[] },
): readonly Setting[] {
  const { model, adversary } = reference;
  refuseUnranked(protocol, defences);
  const own = model.network.election.defences;
  const named = CHOSEN_DEFENCE_NAMES.filter(
    (name) => defences.includes(name) || own.includes(name),
  );
  const levels = defences.filter((name) => !isByMembers(name)).filter(isLevel);
  const [level] = LEVELS.filter((each) =>
    levels.some((name) => networkDefence(name)?.level === each),
  ).toReversed();
  const isHard = isMemoryHard(defences);
  return [
    ...(named.length > own.length
      ? [settingOf('network.election.defences', `[${named.join(', ')}]`)]
      : []),
    ...(level === undefined ? [] : [settingOf('network.election.level', level)]),
    ...(isHard
      ? [
          settingOf('network.identity.puzzle', HARD_PUZZLE),
          ...(defences.includes('memory-hard-id')
            ? [settingOf('network.identity.idRule', 'slow')]
            : []),
          settingOf(`adversaries.${adversary}.rate`, question.hardRate),
        ]
      : []),
    ...bitsSettings(reference, question, defences),
    ...(defences.includes('commit-then-beacon')
      ? [settingOf('epochs', `{count: 1, salt: ${saltOf(model)}, lifetime: 1}`)]
      : []),
  ];
}

/** A beacon salts puzzle and rank. If the ID itself is the puzzle, which no salt changes, it salts only the rank. */
function saltOf({ network: { identity } }: ThreatModel): Salt {
  return takesSalt(identity) ? 'both' : 'rank';
}

/** The bits of the static puzzle: more with proof-of-work, fewer if honest nodes cannot afford them. */
function bitsSettings(
  reference: Reference,
  question: Pick<CompareQuestion, 'hardRate'>,
  defences: readonly ComparedDefence[],
): readonly Setting[] {
  const isRaised = defences.includes('proof-of-work');
  const isHard = isMemoryHard(defences);
  if (!isRaised && !isHard) return [];
  const { identity } = reference.model.network;
  const real = realBits(identity).c1;
  const attempts = honestAttempts(reference, question, defences);
  const most =
    bearableDifficulty({
      rate: attempts,
      joinTime: 1,
      joinQuantile: JOIN_QUANTILE,
    })?.wholeBits ?? 0;
  if (isRaised && !identity.checks.static)
    throw refusal('proof-of-work', 'has no effect: network.identity.checks.static is false');
  if (isRaised && !isHard && most <= real) {
    throw refusal(
      'proof-of-work',
      `has no more bits: in ${attempts} attempts honest nodes can afford ${most}, and the document has ${real}`,
    );
  }
  const bits = isRaised ? most : Math.min(real, most);
  if (bits === 0 && defences.includes('memory-hard'))
    throw refusal('memory-hard', 'has no effect: the static puzzle requires no bits');
  const isSlowId = defences.includes('memory-hard-id');
  const nominal = bits + (isSlowId ? 0 : idRuleOf(identity).puzzle(identity).freeBits);
  return nominal === identity.c1 ? [] : [settingOf('network.identity.c1', nominal)];
}

/** Drawn ranks are no defence of a protocol in which a rank has no meaning. */
function refuseUnranked(protocol: ProtocolName, defences: readonly ComparedDefence[]): void {
  if (PROTOCOLS[protocol].isRanked) return;
  const drawing = defences.find(drawsRanks);
  if (drawing === undefined) return;
  throw refusal(drawing, `does not apply to ${protocol}: no rank helps a node to lead in it`);
}

function drawsRanks(name: ComparedDefence): boolean {
  return isByMembers(name)
    ? name === 'commit-then-beacon'
    : responseFactsOf(name).ranks === 'drawn';
}

/**
 * The defences that can change the outcome of a run. If every node follows the protocol and nothing fails, the
 * highest rank leads, or any node with equal chances. Then only the defences that change identities and ranks act.
 */
export function actingDefences(
  model: ThreatModel,
  defences: readonly ComparedDefence[],
): readonly ComparedDefence[] {
  return isPeaceful(model) ? defences.filter(changesIdentities) : defences;
}

/** Whether all nodes follow the protocol, nothing fails, and the owner of the leader decides. */
function isPeaceful({ adversaries, faults, network, expect }: ThreatModel): boolean {
  const { detector, resource, topology } = network.election;
  return (
    PROPERTIES[expect.property].judges.top !== null &&
    [faults, detector, resource, topology].every((member) => member === undefined) &&
    Object.values(adversaries).every(
      ({ behaviours, responses }) => behaviours?.length === 0 && responses === undefined,
    )
  );
}

function changesIdentities(name: ComparedDefence): boolean {
  if (isByMembers(name) || name === 'proof-of-work') return true;
  const { newcomers, ranks } = responseFactsOf(name);
  return newcomers === 'refused' || ranks === 'drawn';
}

function refusal(name: ComparedDefence, detail: string): LabError {
  return new LabError('arguments', `${name} ${detail}`);
}
