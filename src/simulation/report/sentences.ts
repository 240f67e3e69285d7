/**
 * @module
 * Says in plain English what happened in an event, what the node did, and what the properties of an election are. The
 * browser lab and `usurp explain` have their sentences from here. Values come from outside and are shown as text.
 */

import type { PropertyName, PropertyVerdict } from '../../election/properties.ts';
import { capitalized } from '../../printable.ts';

/** What a node did, as the API states it. */
interface Effect {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What is said of an event: the members of a line of the API. */
export interface SaidEvent {
  readonly event: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly node?: number | null | undefined;
  readonly from?: number | undefined;
  readonly dropped?: boolean | undefined;
  readonly outline?: boolean | undefined;
}

type Properties = Readonly<Partial<Record<PropertyName, PropertyVerdict>>>;

const TEXT_CHARACTERS_MAX = 60;

/** `node 2` or `the store`. */
export function nodeName(rank: unknown, store: number | null): string {
  return rank === store ? 'the store' : `node ${text(rank)}`;
}

/** What happened: `Node 2 receives message 0 from node 1.` With `content` it says what the message is. */
export function eventSentence(
  event: SaidEvent,
  store: number | null,
  content: string | null = null,
): string {
  const { action, node, from } = event;
  const of = event.outline ? action['node'] : node;
  if (event.outline && typeof of !== 'number') return OUTLINE;
  const subject = typeof of === 'number' ? capitalized(nodeName(of, store)) : 'The network';
  const message = `message ${text(action['message'])}${content === null ? '' : ` (${content})`}`;
  const about = `node ${text(action['about'])}`;
  // The first report to a node is that it is up itself, and its detector begins.
  const trusts = action['about'] === of ? 'begins to watch' : `trusts ${about} again`;
  const sentences: Readonly<Record<string, string>> = {
    'node.started': `${subject} starts an election.`,
    'message.delivered': `${subject} receives ${message} from ${nodeName(from, store)}.`,
    'message.dropped': `${capitalized(message)} is lost${event.dropped ? ': its recipient is down' : ''}.`,
    'message.duplicated': `The network copies ${message}.`,
    'timer.fired': `The timer “${text(action['timer'])}” of node ${text(node)} fires.`,
    'node.chose': `${subject} draws the number ${text(action['value'])}.`,
    'message.injected': `${subject} sends what was given from outside.`,
    'node.crashed': `${subject} crashes.`,
    'node.paused': `${subject} pauses.`,
    'node.resumed': `${subject} resumes.`,
    'node.recovered': `${subject} returns${action['amnesia'] ? ' and remembers nothing' : ''}.`,
    'node.joined': `${subject} joins.`,
    'node.suspects': `${subject} suspects ${about}.`,
    'node.trusts': `${subject} ${trusts}.`,
    'node.learns-of-joining': `${subject} learns that ${about} joined.`,
    'node.learns-of-leaving': `${subject} learns that ${about} is to leave.`,
    'network.divided': `A partition separates ${sidesText(action['sides'])}.`,
    'network.healed': 'The partition ends.',
  };
  return sentences[event.event] ?? `${event.event}.`;
}

function sidesText(sides: unknown): string {
  const named = Array.isArray(sides) ? sides.map((side) => text(side).replace(/[[\]]/g, '')) : [];
  return named.join(' from ').replaceAll(',', ', ');
}

/** The sentence for an event whose details the reader may not see. */
const OUTLINE = 'Another node or the network acts. Its details are not shown to you.';

/**
 * What the node did in an event, one sentence for each effect; sends of one message are one. `self` is its rank, if the
 * sentences do not stand beside its name.
 */
export function effectSentences(effects: readonly Effect[], self: number | null = null): string[] {
  const sentences: string[] = [];
  const recipients = new Map<string, string[]>();
  for (const effect of effects) {
    if (effect.type === 'send') {
      const key = contentText(effect['message']);
      const known = recipients.get(key);
      if (known === undefined) recipients.set(key, [text(effect['to'])]);
      else known.push(text(effect['to']));
    } else sentences.push(effectSentence(effect, self));
  }
  const sends = [...recipients].map(([content, to]) => `sends ${content} to ${to.join(', ')}`);
  return [...sends, ...sentences];
}

function effectSentence(effect: Effect, self: number | null): string {
  switch (effect.type) {
    case 'call':
      return `sends ${contentText(effect['operation'])} to the store`;
    case 'set-timer':
      return `sets the timer “${text(effect['timer'])}” to ${text(effect['ticks'])} ticks`;
    case 'cancel-timer':
      return `cancels the timer “${text(effect['timer'])}”`;
    case 'elect': {
      const epoch = self === null || !effect['epoch'] ? '' : ` in epoch ${text(effect['epoch'])}`;
      const leads = self !== null && effect['leader'] === self;
      return leads
        ? `leads${epoch}`
        : `follows ${leaderText(effect['leader'])} as its leader${epoch}`;
    }
    case 'step-down':
      return 'follows no leader any more';
    case 'choose':
      return `asks for a random number below ${text(effect['below'])}`;
    case 'persist':
      return 'saves its state';
    case 'accuse':
      return 'proves that a node has lied';
    case 'respond':
      return 'answers a client';
    default:
      return text(effect.type);
  }
}

/** A live node can follow a rank that no node has, which has no number. */
function leaderText(leader: unknown): string {
  return typeof leader === 'string' ? phantomText(leader) : `node ${text(leader)}`;
}

/** A rank that no node has. */
export function phantomText(rank: string): string {
  const shown = rank.length > RANK_CHARACTERS_MAX ? `${rank.slice(0, RANK_CHARACTERS_MAX)}…` : rank;
  return `a phantom (no node has the rank ${shown})`;
}

const RANK_CHARACTERS_MAX = 16;

/** The type and the members of a message without its proof: `COORDINATOR leader 5`. */
export function contentText(message: unknown): string {
  if (typeof message !== 'object' || message === null) return text(message);
  const { type, seal: _, ...members } = { type: '', seal: null, ...message };
  const parts = Object.entries(members).map(([name, value]) => `${name} ${text(value)}`);
  return [text(type), ...parts].join(' ');
}

/** How a message proves its sender. */
export function sealText(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('seal' in message)) return null;
  const { seal } = message;
  if (typeof seal !== 'object' || seal === null) return null;
  const { by, number, candidacies } = { by: null, number: null, candidacies: null, ...seal };
  const numbered = number === null ? '' : `, number ${text(number)}`;
  const others = candidacies === null ? [] : Object.keys(candidacies);
  const stand = others.length === 0 ? '' : `, with the candidacy of ${others.map(text).join(', ')}`;
  const proof = 'signature' in seal ? 'signed by' : 'not signed, in the name of';
  return `${proof} node ${text(by)}${numbered}${stand}`;
}

const REFUSALS: Readonly<Record<string, string>> = {
  sender: 'the level does not admit the stated sender',
  malformed: 'the message has not the form of its type, or lacks its proof',
  replay: 'its number was used before',
  signature: 'the signature is not one of the stated sender',
  candidacy: 'a node that it names has not signed its candidacy',
};

/** Why the recipient refused a message. */
export function refusalText(reason: string): string {
  return REFUSALS[reason] ?? reason;
}

const PROPERTIES: Readonly<Record<PropertyName, readonly [string, string, string]>> = {
  agreement: [
    'No two live nodes follow different leaders.',
    'Live nodes follow different leaders.',
    'It is open whether the live nodes will follow one leader.',
  ],
  uniqueness: [
    'No two nodes led at the same time.',
    'Two nodes led at the same time.',
    'No two nodes have led at the same time so far.',
  ],
  termination: [
    'Every live node follows a live leader.',
    'A live node follows no live leader.',
    'It is open whether every live node will follow a live leader.',
  ],
  highestLiveWins: [
    'Every node with a live leader follows the highest live node.',
    'A node follows a live leader that is not the highest live node.',
    'It is open whether the highest live node wins.',
  ],
};

export interface PropertyLine {
  readonly name: string;
  readonly value: PropertyVerdict['value'];
  readonly sentence: string;
}

/** Each property in one sentence. */
export function propertyLines(properties: Properties): PropertyLine[] {
  const titles: Readonly<Record<PropertyName, string>> = {
    agreement: 'Agreement',
    uniqueness: 'Uniqueness',
    termination: 'Termination',
    highestLiveWins: 'Highest live wins',
  };
  // The names are those of the object above.
  const names = Object.keys(PROPERTIES) as PropertyName[];
  return names.flatMap((name) => {
    const property = properties[name];
    if (property === undefined) return [];
    const { value, witnessed } = property;
    const [holds, broken, open] = PROPERTIES[name];
    const sentence = { true: holds, false: broken, unknown: open }[value];
    const vacuous = value === 'true' && !witnessed ? ' Nothing in this run tested it.' : '';
    return { name: titles[name], value, sentence: `${sentence}${vacuous}` };
  });
}

/** A value of foreign data, shortened. */
function text(value: unknown): string {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '?');
  if (whole.length <= TEXT_CHARACTERS_MAX) return whole;
  return `${whole.slice(0, TEXT_CHARACTERS_MAX)}…`;
}
