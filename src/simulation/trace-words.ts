/**
 * @module
 * The events of a trace in plain words, as far as every reader of a trace says them alike: what
 * happened to a node, what it did about it, what a message carries.
 */

import { fromRank } from '../election/cast.ts';
import type { EffectRecord } from '../election/effect-record.ts';
import type { Message } from '../election/machine.ts';
import type { Action } from '../election/world.ts';

import type { TracedFlight, TraceEvent } from './trace-events.ts';

/** A remark on the send of message `id`, such as what became of it; '' for none. */
export type Remark = (id: number) => string;

const NO_REMARK: Remark = () => '';

/**
 * What happened and then, after a colon, what came of it: `PROBE 4 from 1: leads; SELECTED 4 to 3`.
 */
export function eventWords(event: TraceEvent, remark: Remark = NO_REMARK): string {
  const { record, node, flight } = event;
  const cause = causeWords(event);
  if (node !== null) return joined(cause, effectsWords(record.effects, node, remark));
  if (flight === null) return cause;
  const { type } = record.action;
  if (type === 'drop' || type === 'duplicate') return wayWords(flight, type);
  return joined(cause, `lost, ${flight.to} is down`);
}

function causeWords({ record, flight }: TraceEvent): string {
  const { action } = record;
  if ('node' in action) return actionWords(action);
  return flight === null ? '' : `${messageWords(flight.message)} from ${flight.from}`;
}

/** What the network did to a message between two nodes: `OK from 3 to 1: lost on the way`. */
export function wayWords(
  { message, from, to }: Pick<TracedFlight, 'message' | 'from' | 'to'>,
  fate: 'drop' | 'duplicate',
): string {
  const cause = `${messageWords(message)} from ${from} to ${to}`;
  return joined(cause, `${fate === 'drop' ? 'lost' : 'copied'} on the way`);
}

function joined(cause: string, outcome: string): string {
  return outcome === '' ? cause : `${cause}: ${outcome}`;
}

/** What happened to a node, messages apart. */
export function actionWords(action: Exclude<Action, { readonly message: number }>): string {
  switch (action.type) {
    case 'start':
    case 'pause':
    case 'resume':
    case 'enter':
      return `${action.type}s`;
    case 'crash':
      return 'crashes';
    case 'recover':
      return action.amnesia ? 'returns and remembers nothing' : 'returns';
    case 'timeout':
      return `timer ${action.timer}`;
    case 'choose':
      return `chooses ${action.value}`;
    case 'suspect':
    case 'trust':
      return `${action.type}s ${action.about}`;
    case 'join':
      return `hears that ${action.about} joined`;
    default:
      return action satisfies never;
  }
}

/** What a node did, sends of one message together: `OK to 1; ELECTION to 3, 4`. */
export function effectsWords(
  effects: readonly EffectRecord[],
  node: number,
  remark: Remark = NO_REMARK,
): string {
  const parts: string[] = [];
  let message: string | null = null;
  for (const effect of effects) {
    if (effect.type === 'send') {
      const sent = messageWords(effect.message);
      const to = `${effect.to}${remark(effect.id)}`;
      parts.push(sent === message ? `${parts.pop()}, ${to}` : `${sent} to ${to}`);
      message = sent;
    } else {
      parts.push(effectWords(effect, node));
      message = null;
    }
  }
  return parts.join('; ');
}

function effectWords(
  effect: Exclude<EffectRecord, { readonly type: 'send' }>,
  node: number,
): string {
  switch (effect.type) {
    case 'set-timer':
      return `sets ${effect.timer} in ${effect.ticks}${effect.periodic ? ' and again' : ''}`;
    case 'cancel-timer':
      return `cancels ${effect.timer}`;
    case 'elect':
      return fromRank(effect.leader) === node ? 'leads' : `follows ${effect.leader}`;
    case 'step-down':
      return 'steps down';
    case 'choose':
      return `asks for 0..${effect.below - 1}`;
    case 'persist':
    case 'call':
    case 'accuse':
    case 'respond':
      return effect.type;
    default:
      return effect satisfies never;
  }
}

/** A message's type, then whatever else it carries. */
export function messageWords(message: Message): string {
  const body = Object.entries(message).filter(([key]) => key !== 'type');
  return [message.type, ...body.map(([, value]) => JSON.stringify(value))].join(' ');
}
