/**
 * @module
 * Describes the events of a trace in English, for every form of a trace: what happened to a node, what the
 * node did, and what a message contains.
 */

import type { Instruction } from '../../adversary/behaviours/free-node.ts';
import { isInstruction } from '../../adversary/behaviours/free-node.ts';
import type { SealedMessage } from '../../election/authentication/authenticated.ts';
import type { Json } from '../../election/machine.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action, LinkEvent, Obstacle, Separation } from '../../election/world/world.ts';

import type { Happening, TraceRecord } from '../engine/trace.ts';
import type { TracedFlight, TraceEvent } from './events.ts';

/** The name of the store. Its number is the rank after the last. */
export const STORE = 'store';
/** Longer persisted data is shortened: logs grow with the run. */
const PERSISTED_CHARACTERS_MAX = 40;

/** A remark on the send of message `id`, such as what became of it; '' for none. */
export type Remark = (id: number) => string;

const NO_REMARK: Remark = () => '';

/** A node by its rank, the store by its name. */
export function endpointName(rank: number, store: number | null): string {
  return rank === store ? STORE : String(rank);
}

/**
 * What happened and, after a colon, its outcome: `PROBE 4 from 1: leads; SELECTED 4 to 3`. `store` is the
 * number of the store, null without one.
 */
export function describeEvent(
  event: TraceEvent<Happening>,
  store: number | null,
  remark: Remark = NO_REMARK,
): string {
  const { record, node, flight, wasLeading } = event;
  const cause = describeCause(event, store);
  if (node !== null) {
    return joined(cause, describeEffects(record.effects, { node, wasLeading }, remark));
  }
  if (flight === null) return cause;
  const { type } = record.action;
  if (type === 'drop' || type === 'duplicate') return describeFate(flight, record, store);
  return joined(cause, `lost, ${endpointName(flight.to, store)} is down`);
}

function describeCause({ record, flight }: TraceEvent<Happening>, store: number | null): string {
  const { action, stopped } = record;
  if ('node' in action) return describeStep({ action, stopped });
  if (isLinkEvent(action)) return describeLinks(action, store);
  if (flight === null) return '';
  if (isInstruction(flight.message)) return describeMessage(flight.message);
  return `${describeMessage(flight.message)} from ${endpointName(flight.from, store)}`;
}

/** What the network did to a message: `OK from 3 to 1: lost on the way`. */
export function describeFate(
  flight: TracedFlight,
  record: Pick<TraceRecord<Happening>, 'action' | 'lost'>,
  store: number | null,
): string {
  const { action, lost } = record;
  const how = lost === undefined ? ' on the way' : `, ${describeObstacle(lost)}`;
  const outcome = action.type === 'duplicate' ? 'copied on the way' : `lost${how}`;
  return joined(describeFlight(flight, store), outcome);
}

/** Why a message between two nodes is lost. */
export function describeObstacle(obstacle: Obstacle): string {
  return obstacle === 'partition' ? 'a partition separates them' : 'they have no link';
}

export function isLinkEvent(action: Happening): action is LinkEvent {
  return action.type === 'partition' || action.type === 'heal';
}

/** What happened to the links: `a partition separates 1, 3 from 2, store`. */
export function describeLinks(event: LinkEvent, store: number | null): string {
  if (event.type === 'heal') return 'the partition ends';
  return `a partition ${describeSeparation(event, store)}`;
}

/** `separates 1, 3 from 2, store`, or `loses what 1 sends to 2`. */
export function describeSeparation({ sides, isOneWay }: Separation, store: number | null): string {
  const texts = sides.map((side) => describeSide(side, store));
  return isOneWay ? `loses what ${texts.join(' sends to ')}` : `separates ${texts.join(' from ')}`;
}

/** The nodes on one side of a partition: `2, store`. */
export function describeSide(side: readonly number[], store: number | null): string {
  return side.map((rank) => endpointName(rank, store)).join(', ');
}

/** `OK from 3 to 1`, `READ from 2 to store`. */
export function describeFlight({ message, from, to }: TracedFlight, store: number | null): string {
  return `${describeMessage(message)} from ${endpointName(from, store)} to ${endpointName(to, store)}`;
}

/** A cause and, after a colon, its outcome, if any. */
export function joined(cause: string, outcome: string): string {
  return outcome === '' ? cause : `${cause}: ${outcome}`;
}

/** What happened to a node, except messages: `stops` of a live node that was stopped with its cluster. */
export function describeStep({
  action,
  stopped,
}: {
  readonly action: OwnAction;
  readonly stopped: true | undefined;
}): string {
  return stopped === true ? 'stops' : describeAction(action);
}

type OwnAction = Exclude<Action, { readonly message: number }>;

function describeAction(action: OwnAction): string {
  switch (action.type) {
    case 'start':
    case 'pause':
    case 'resume':
    case 'enter':
      return `${action.type}s`;
    case 'crash':
      return 'crashes';
    case 'inject':
      return isLie(action) ? 'decides to lie' : 'acts from outside';
    case 'recover':
      return action.amnesia ? 'returns and remembers nothing' : 'returns';
    case 'timeout':
      return `timer ${action.timer}`;
    case 'choose':
      return `chooses ${action.value}`;
    case 'suspect':
    case 'trust':
      // The first report to a node is that it is up itself, and its detector begins.
      if (action.node === action.about) return 'begins to watch';
      return `${action.type}s ${action.about}`;
    case 'join':
      return `learns that ${action.about} joined`;
    case 'leave':
      if (action.node === action.about) return 'loses its last write';
      return `learns that ${action.about} is to leave`;
    default:
      return action satisfies never;
  }
}

/** Whether a free Byzantine node gets an instruction. */
export function isLie({ effects }: Action & { readonly type: 'inject' }): boolean {
  return effects.some((effect) => effect.type === 'send' && isInstruction(effect.message));
}

/** What the node is going to send: `SELECTED 4 to 1 in the name of 2`. */
function describeInstruction({ to, by, body }: Instruction, node: number): string {
  const name = by === node ? '' : ` in the name of ${by}`;
  return `${describeMessage(body)} to ${to}${name}`;
}

/** The node that did something, and whether it led itself before. */
interface Actor {
  readonly node: number;
  readonly wasLeading: boolean;
}

/** What a node did, with the sends of one message together: `OK to 1; ELECTION to 3, 4; READ to store`. */
export function describeEffects(
  effects: readonly EffectRecord[],
  { node, wasLeading }: Actor,
  remark: Remark = NO_REMARK,
): string {
  const parts: string[] = [];
  let message: string | null = null;
  let leads = wasLeading;
  for (const effect of effects) {
    if (effect.type === 'send' && isInstruction(effect.message)) {
      parts.push(describeInstruction(effect.message, node));
      message = null;
    } else if (effect.type === 'send' || effect.type === 'call') {
      const isCall = effect.type === 'call';
      const sent = describeMessage(isCall ? effect.operation : effect.message);
      const to = `${isCall ? STORE : effect.to}${remark(effect.id)}`;
      parts.push(sent === message ? `${parts.pop()}, ${to}` : `${sent} to ${to}`);
      message = sent;
    } else {
      parts.push(describeEffect(effect, node, leads));
      message = null;
      if (effect.type === 'elect') leads = fromRank(effect.leader) === node;
    }
  }
  return parts.join('; ');
}

function describeEffect(
  effect: Exclude<EffectRecord, { readonly type: 'send' | 'call' }>,
  node: number,
  leads: boolean,
): string {
  switch (effect.type) {
    case 'set-timer':
      return `sets ${effect.timer} in ${effect.ticks}${effect.periodic ? ' and again' : ''}`;
    case 'cancel-timer':
      return `cancels ${effect.timer}`;
    case 'elect':
      return describeElect(effect, node);
    case 'step-down':
      return leads ? 'steps down' : 'follows no leader';
    case 'choose':
      return `asks for 0..${effect.below - 1}`;
    case 'persist':
      return `persists ${shortened(describeFields(effect.fields), PERSISTED_CHARACTERS_MAX)}`;
    case 'accuse':
    case 'respond':
      return effect.type;
    default:
      return effect satisfies never;
  }
}

/** Epoch 0 is that of protocols without epochs. */
function describeElect(
  { leader, epoch }: Extract<EffectRecord, { readonly type: 'elect' }>,
  node: number,
): string {
  const text = fromRank(leader) === node ? 'leads' : `follows ${leader}`;
  return epoch > 0 ? `${text} in epoch ${epoch}` : text;
}

/** `term 3, vote null` of an object; any other data as JSON. */
function describeFields(fields: Json): string {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return JSON.stringify(fields);
  }
  const parts = Object.entries(fields).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** The text, with an ellipsis instead of what exceeds the number of characters. */
export function shortened(text: string, charactersMax: number): string {
  const characters = [...text];
  if (characters.length <= charactersMax) return text;
  return `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/**
 * The type of a message, then its other members. Of its seal only who signed it. The instruction of a free Byzantine
 * node is described by what the node does with it.
 */
export function describeMessage(message: SealedMessage): string {
  if (isInstruction(message)) return 'lies';
  const { type, seal, ...body } = message;
  const signed = seal?.by === undefined ? [] : [`(signed by ${seal.by})`];
  return [type, ...Object.values(body).map((value) => JSON.stringify(value)), ...signed].join(' ');
}
