/**
 * @module
 * The elections of an instance. Their plans say which instance they belong to, so that nothing else is stored: an
 * election that is missing is created again from the instance.
 */

import { refusedIn } from '../../src/election/authentication/authenticated.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import type { ActionRecord, ElectionRecord } from '../../src/exercise/record.ts';
import type { ElectionAction } from '../elections/live/action.ts';
import type { LiveElection } from '../elections/live/live-election.ts';
import type { InstancePart } from '../elections/live/plan.ts';
import { electionRequestSchema, parseElectionRequest } from '../elections/live/request.ts';
import type { ElectionStore } from '../elections/storage/store.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { Principal } from '../request/principal.ts';

type Document = Pick<Exercise, 'name' | 'version' | 'setUp'>;

/** Finds and creates the elections of instances. */
export class InstanceElections {
  readonly #elections: ElectionStore;
  /** Elections that are being created, so that requests at the same time create one. */
  readonly #creating = new Map<string, Promise<string>>();

  constructor(elections: ElectionStore) {
    this.#elections = elections;
  }

  /** The id of each election by its name, without those that do not exist. */
  idsOf(exercise: Document, principal: Principal): Readonly<Record<string, string>> {
    const own = this.#elections.list(principal).flatMap(({ id, request }) => {
      const { instance, origin, owner } = request;
      const isOwn =
        owner === principal.owner &&
        origin === undefined &&
        instance?.exercise === exercise.name &&
        instance.version === exercise.version;
      return isOwn ? [[instance.part, id] as const] : [];
    });
    return Object.fromEntries(own);
  }

  /** The same, after those that are missing were created. Throws as `ElectionStore.create`. */
  async create(
    exercise: Document,
    instance: Instance,
    principal: Principal,
  ): Promise<Readonly<Record<string, string>>> {
    const found = this.idsOf(exercise, principal);
    const ids = Object.keys(instance.elections).map(async (part) => {
      const key = `${instance.id}/${part}`;
      const id =
        found[part] ??
        this.#creating.get(key) ??
        this.#make(exercise, instance, { part, principal });
      if (typeof id !== 'string') this.#creating.set(key, id);
      try {
        return [part, await id] as const;
      } finally {
        this.#creating.delete(key);
      }
    });
    return Object.fromEntries(await Promise.all(ids));
  }

  async #make(
    { name, version, setUp }: Document,
    { elections, policy }: Instance,
    { part, principal }: { readonly part: string; readonly principal: Principal },
  ): Promise<string> {
    const body = electionRequestSchema.parse(elections[part]);
    const plan = parseElectionRequest(body, policy);
    const closed: InstancePart['closed'] = setUp.closed.flatMap((endpoint) => CLOSED[endpoint]);
    const instance = { exercise: name, version, part, closed };
    const created = await this.#elections.create(
      { ...plan, instance },
      // The key of the request is for its answer, not for one of the elections.
      { ...principal, keyed: null },
    );
    return created.id;
  }

  /** The record of each election that exists. */
  async records(
    exercise: Document,
    principal: Principal,
    ends: Pick<Lifecycle, 'onDrain'>,
  ): Promise<Readonly<Record<string, ElectionRecord>>> {
    const ids = Object.entries(this.idsOf(exercise, principal));
    const records = ids.map(async ([part, id]) => {
      await this.#elections.restore(id, principal, ends);
      return [part, recordOf(this.#elections.get(id, principal))] as const;
    });
    return Object.fromEntries(await Promise.all(records));
  }
}

/** What each endpoint stands for. Contexts of policies close the others. */
const CLOSED: Readonly<Record<Exercise['setUp']['closed'][number], InstancePart['closed']>> = {
  verifications: [],
  forgeries: [],
  actions: ['conduct'],
  copies: ['examine'],
};

function recordOf({ request, history, stage }: LiveElection): ElectionRecord {
  const { simulation } = stage;
  const { options, initiators } = request;
  const { idle, leader, agreed, messages, ticks, bound } = simulation.status();
  return {
    options: { ...options, initiators },
    actions: history.actions.map(actionOf),
    status: { idle, leader, agreed, messages, ticks, bound },
    nodes: simulation.nodes().map(({ rank, up, leader: followed }) => ({
      ...{ rank, up, leader: followed },
      outside: (stage.roster.nodes.find((node) => node.rank === rank)?.joined ?? null) !== null,
      refusedSeals: refusedSealsIn(refusedIn(simulation.stateOf(rank))),
    })),
    phantoms: simulation.plan.phantoms,
  };
}

function actionOf(action: ElectionAction): ActionRecord {
  const { type } = action;
  switch (type) {
    case 'inject':
      return { type, from: action.from, message: { ...action.message } };
    case 'outbox':
      return { type, sends: action.effects.filter((effect) => effect.type === 'send').length };
    default:
      return { type };
  }
}

function refusedSealsIn(refused: ReturnType<typeof refusedIn>): number {
  return refused === null ? 0 : refused.malformed + refused.signature + refused.candidacy;
}
