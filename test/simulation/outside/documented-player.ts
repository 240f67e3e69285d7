/**
 * @module
 * A program that plays a late newcomer by what the documentation says and no more: it has a machine of
 * the bare protocol, answers under the name of the election that a message was signed for, and says
 * anything else under the present name. Of numbered elections it knows nothing.
 */

import type { Keys, SealedMessage } from '../../../src/election/authentication/authenticated.ts';
import { candidacyText, messageText } from '../../../src/election/authentication/authenticated.ts';
import { candidatesIn } from '../../../src/election/authentication/candidacies.ts';
import type { Effects, Event, Message, Rank } from '../../../src/election/machine.ts';
import { createCast, fromRank } from '../../../src/election/world/cast.ts';
import { castWithout } from '../../../src/election/world/membership.ts';
import type { OutsideEffect } from '../../../src/election/world/outside.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';

/** A fact in the form of an inbox. */
export interface Reported {
  readonly event: Event<Message>;
  /** Which election a message is signed for; undefined where messages are for none. */
  readonly election: string | null | undefined;
}

type Delivery = Event<Message> & { readonly type: 'deliver' };

export interface Program {
  /** What the node does about what it was told, while the election has this name. */
  react(reported: readonly Reported[], name: string): OutsideEffect[];
}

/** Plays `rank`, who joins when these places are open yet. */
export function documentedProgram(
  plan: Plan,
  rank: number,
  { missing, sign }: { readonly missing: readonly number[]; readonly sign: Keys['sign'] },
): Program {
  const cast = createCast(plan);
  const machine = cast.machineOf(rank);
  const absent = new Set(missing.filter((each) => each !== rank));
  const selfNow = () => castWithout(cast, [...absent]).selfOf(rank);
  let self = selfNow();
  const state = machine.init(self);
  const sealer = sealing(plan, self.rank, sign);
  return {
    react(reported, name) {
      const said: OutsideEffect[] = [];
      for (const { event, election } of reported) {
        if (election === null) continue;
        const under = election ?? name;
        if (event.type === 'join') {
          absent.delete(fromRank(event.node));
          self = selfNow();
        }
        const events = [event.type === 'deliver' ? sealer.opened(event, under) : event];
        const effects = {
          ...collecting(said, (to, message) => sealer.seal(to, message, under)),
          choose: () => void events.push({ type: 'chosen', value: 0 }),
        };
        for (const each of events) machine.step(self, state, each, effects);
      }
      return said;
    },
  };
}

function collecting(
  said: OutsideEffect[],
  seal: (to: Rank, message: Message) => Message,
): Effects<Message> {
  return {
    send: (to, message) =>
      said.push({ type: 'send', to: fromRank(to), message: seal(to, message) }),
    setTimer: (timer, ticks, periodic) => said.push({ type: 'set-timer', timer, ticks, periodic }),
    cancelTimer: (timer) => said.push({ type: 'cancel-timer', timer }),
    elect: (leader, epoch) => said.push({ type: 'elect', leader: fromRank(leader), epoch }),
    stepDown: () => said.push({ type: 'step-down' }),
    choose: nothing,
    call: nothing,
    persist: nothing,
    accuse: nothing,
    respond: nothing,
  };
}

function nothing(): void {
  // The protocols here need no more.
}

/** Takes seals off, and puts them on where the level demands it. */
function sealing(plan: Plan, by: Rank, sign: Keys['sign']) {
  const { protocol, level } = plan;
  const shown = new Map<string, Record<string, string>>();
  const sent = new Map<Rank, number>();
  const textsOf = (election: string) =>
    ({ ...{ level: level ?? 'L0', protocol, election }, keysOf: noKeys }) as const;
  return {
    opened(event: Delivery, election: string): Delivery {
      const { seal, ...message }: SealedMessage = event.message;
      shown.set(election, { ...shown.get(election), ...seal?.candidacies });
      return { ...event, message };
    },
    seal(to: Rank, body: Message, election: string): Message {
      if (level !== 'L3') return body;
      const number = (sent.get(to) ?? 0) + 1;
      sent.set(to, number);
      const own = { [by]: sign(candidacyText(textsOf(election), by)) };
      const known: Readonly<Record<string, string>> = { ...shown.get(election), ...own };
      const named = candidatesIn(protocol, body, by).map(String);
      const candidacies = Object.fromEntries(named.map((each) => [each, known[each]]));
      const signature = sign(messageText(textsOf(election), { by, to, number, body }));
      const sealed = { ...body, seal: { by, number, signature, candidacies } };
      return sealed;
    },
  };
}

function noKeys(): never {
  throw new RangeError('"keysOf" expected not to be asked while a text is made');
}
