/**
 * @module
 * Clients of live nodes: the machine of the simulated ones (src/election/clients), which the controller runs on its clock.
 * Questions and answers take the way of its commands and their reports, so that nothing but the controller can ask a node.
 * A node that is down refuses a question, as a connection to it would be.
 */

import type { Clients } from '../../election/clients/client-form.ts';
import { createClients } from '../../election/clients/clients.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Effects, Event, Message, Self } from '../../election/machine.ts';
import { memberOf } from '../../election/message-members.ts';
import { fromRank, toRank } from '../../election/world/cast.ts';
import type { ClientsAnswer } from '../../operations/elect/client-history.ts';
import { answerOf } from '../../operations/elect/client-history.ts';
import { castClientsOf } from '../../simulation/plan/clients.ts';
import type { ClientLog } from '../../simulation/run/client-log.ts';
import { createClientLog } from '../../simulation/run/client-log.ts';
import type { LiveProtocol } from '../live-machine.ts';
import { NodeTimers } from '../live-node.ts';
import { storeSelf } from '../stores/live-store.ts';
import type { Cluster } from './cluster.ts';

/**
 * Clients of a log ask less often than those of a resource, and wait longer: each entry takes two messages and several
 * writes to disk, and a node writes its whole log with each.
 */
const LOG_FACTORS = { every: 10, patience: 5 };

/** What clients need of a cluster. */
type Asked = Pick<Cluster, 'ask' | 'nodes' | 'numberOf'>;

export class LiveClients {
  readonly #clients: Clients;
  readonly #cluster: () => Asked;
  readonly #log: ClientLog;
  readonly #machine: AnyMachine;
  readonly #state;
  readonly #timers = new NodeTimers((timer) => this.#step({ type: 'timeout', timer }));
  /** Whether the nodes were up before, so that the first read can find anything. */
  readonly #isBack: boolean;
  #isOver = false;

  /** `clock` is in ms since the start of the cluster. */
  constructor(
    clients: Clients,
    { protocol, timing, workload = null }: LiveProtocol,
    about: { readonly isBack: boolean; readonly clock: () => number },
    cluster: () => Asked,
  ) {
    const own = castClientsOf(clients, { protocol, timing, workload });
    const { every, patience } = workload === null ? LOG_FACTORS : { every: 1, patience: 1 };
    const patienceTicks = clients.patienceTicks ?? patience * (own.patienceTicks ?? 0);
    const everyTicks = clients.everyTicks ?? every * own.everyTicks;
    const options = { ...own, everyTicks, patienceTicks };
    this.#clients = clients;
    this.#cluster = cluster;
    this.#isBack = about.isBack;
    // The channel of the controller repeats no question, and a node passes each on once.
    const { clock } = about;
    this.#log = createClientLog(createClients(options), { clock, isRefusalCertain: true });
    this.#machine = this.#log.watched;
    this.#state = this.#machine.init(storeSelf(toRank(1)));
  }

  /** Takes a message of a node for clients. */
  receive(node: number, message: Message): void {
    if (this.#isOver && message.type === 'FOLLOWS') return;
    const leader = this.#cluster().numberOf(String(memberOf(message, 'leader')));
    const known = message.type === 'REDIRECT' ? { ...message, leader } : message;
    this.#step({ type: 'deliver', from: toRank(node), message: known });
  }

  /** Begins no operation any more. What is under way then has no outcome, unless its answer comes. */
  end(): void {
    this.#isOver = true;
    this.#timers.close();
  }

  /** The history of all operations so far, and whether it is linearizable. */
  judged(): ClientsAnswer {
    return answerOf(this.#clients, this.#log.operations(), this.#isBack);
  }

  #self(): Self {
    return { ...storeSelf(toRank(1)), members: this.#cluster().nodes().map(toRank) };
  }

  #step(event: Event<Message>): void {
    const ignore = () => undefined;
    const effects: Effects<Message> = {
      send: (to, message) => this.#ask(fromRank(to), message),
      setTimer: (timer, ticks, periodic) => this.#timers.set(timer, ticks, periodic),
      cancelTimer: (timer) => this.#timers.cancel(timer),
      ...{ choose: ignore, persist: ignore, call: ignore, elect: ignore },
      ...{ stepDown: ignore, accuse: ignore, respond: ignore },
    };
    this.#machine.step(this.#self(), this.#state, event, effects);
  }

  #ask(node: number, question: Message): void {
    if (!this.#isOver && this.#cluster().ask(node, question)) return;
    const refused = { ...question, type: 'REDIRECT', leader: null };
    this.#timers.soon(() => this.receive(node, refused));
  }
}
