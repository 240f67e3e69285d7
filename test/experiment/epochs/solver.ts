/**
 * @module
 * A dynamic program over all orders of work of an adversary in a small instance of epochs. It shares no code with
 * the closed forms and the simulation. IDs are integers, each with the same probability. In every state the
 * adversary makes a key, tests a kept key, makes and tests a new one (attempts), or stops.
 */

export interface Instance {
  readonly honest: number;
  /** The probability that a test succeeds. */
  readonly p: number;
  /** Numbers that an ID can have. 1 if the rank does not follow from the ID. */
  readonly ids: number;
  readonly salt: 'none' | 'puzzle' | 'rank' | 'both';
  readonly epochs: number;
  /** Null for all. */
  readonly lifetime: number | null;
  readonly stock: number;
  readonly kind: 'attempts' | 'hashes';
  readonly budget: number;
  readonly saved: boolean;
  readonly property:
    | 'adversary-leads'
    | 'adversary-leads-once'
    | 'top-captured'
    | 'majority-captured';
  /** The number of ranks that `top-captured` asks about. */
  readonly count: number;
  /** Whether it knows the honest IDs of a window before it spends its budget. */
  readonly knows: boolean;
}

interface State {
  readonly window: number;
  readonly budget: number;
  /** The highest honest ID, or -1 if the adversary does not know it. */
  readonly top: number;
  /** By ID: keys that can be tested now, and keys that failed in this window. */
  readonly open: readonly number[];
  readonly failed: readonly number[];
  /** By ID, and the windows for which claims still count. */
  readonly claims: readonly (readonly number[])[];
}

export type Action =
  | { readonly type: 'stop' | 'make' | 'fresh' }
  | { readonly type: 'test'; readonly id: number };

/** What a plan does in a state, of the actions that are possible. */
export type Policy = (state: State, instance: Instance) => Action;

/** The value of the best order of work, or of a policy. */
export function orderValue(instance: Instance, policy: Policy | null): number {
  const known = new Map<string, number>();
  const { ids, p, epochs, kind, saved, budget, stock, lifetime } = instance;
  const isSalted = instance.salt === 'puzzle' || instance.salt === 'both';
  const isRanked = instance.salt === 'none' || instance.salt === 'puzzle';
  const life = isSalted ? Math.min(lifetime ?? epochs, epochs) : epochs;
  const zero = Array.from({ length: ids }, () => 0);
  const plus = (counts: readonly number[], id: number, by = 1) =>
    counts.map((count, at) => (at === id ? count + by : count));

  const outcomes = (id: number, state: State, cost: number): number => {
    const left = { ...state, budget: state.budget - cost };
    const claims = left.claims.map((each, at) => (at === id ? plus(each, life - 1) : each));
    // A key that failed once without a salt failed for ever.
    const failed = isSalted ? plus(left.failed, id) : left.failed;
    return p * value({ ...left, claims }) + (1 - p) * value({ ...left, failed });
  };
  const over = (values: (id: number) => number) =>
    zero.reduce<number>((sum, _, id) => sum + values(id) / ids, 0);

  function act(state: State, action: Action): number {
    const { open } = state;
    switch (action.type) {
      case 'stop':
        return ended(state);
      case 'make':
        return over((id) => value({ ...state, budget: state.budget - 1, open: plus(open, id) }));
      case 'fresh':
        return over((id) => outcomes(id, state, 1));
      case 'test':
        return outcomes(action.id, { ...state, open: plus(open, action.id, -1) }, 1);
    }
  }

  function value(state: State): number {
    const key = keyOf(state);
    const found = known.get(key);
    if (found !== undefined) return found;
    const result =
      policy === null
        ? Math.max(...actionsOf(state).map((action) => act(state, action)))
        : act(state, isIdle(state, instance) ? { type: 'stop' } : policy(state, instance));
    known.set(key, result);
    return result;
  }

  function actionsOf({ budget: left, open }: State): readonly Action[] {
    if (left === 0) return [{ type: 'stop' }];
    const tests = open.flatMap((keys, id) => (keys > 0 ? [{ type: 'test', id } as const] : []));
    const fresh = kind === 'attempts' ? [{ type: 'fresh' } as const] : [];
    return [{ type: 'stop' }, { type: 'make' }, ...fresh, ...tests];
  }

  /** The value when a window has ended. */
  function ended(state: State): number {
    const { window } = state;
    const isLast = window === epochs - 1;
    const won = isLast || instance.property === 'adversary-leads-once' ? wins(state) : 0;
    if (isLast) return won;
    return won + (1 - won) * begun(window + 1, state);
  }

  function begun(window: number, before: State): number {
    const { open, failed, claims, budget: unspent, top } = before;
    const next = {
      window,
      budget: (saved ? unspent : 0) + budget,
      open: open.map(
        (keys, id) => keys + (failed[id] ?? 0) + (isSalted ? (claims[id]?.[0] ?? 0) : 0),
      ),
      failed: zero,
      claims: isSalted ? claims.map(([, ...later]) => [...later, 0]) : claims,
    };
    // Honest nodes have new IDs when their claims have expired.
    const isNew = isSalted && window % life === 0;
    return isNew ? overTops((at) => value({ ...next, top: at })) : value({ ...next, top });
  }

  function overTops(values: (top: number) => number): number {
    if (!instance.knows || !isRanked) return values(-1);
    return zero.reduce<number>((sum, _, top) => sum + topOdds(top) * values(top), 0);
  }

  /** P(the highest of the honest IDs is this one). */
  function topOdds(top: number): number {
    return ((top + 1) / ids) ** instance.honest - (top / ids) ** instance.honest;
  }

  function wins({ claims, top }: State): number {
    const { honest, property, count } = instance;
    const own = claims.map((each) => each.reduce((sum, keys) => sum + keys, 0));
    const all = own.reduce((sum, keys) => sum + keys, 0);
    if (property === 'majority-captured') return all > honest ? 1 : 0;
    const wanted = property === 'top-captured' ? count : 1;
    if (!isRanked) {
      let odds = 1;
      for (let taken = 0; taken < wanted; taken += 1) {
        odds *= all > taken ? (all - taken) / (honest + all - taken) : 0;
      }
      return odds;
    }
    const above = (at: number) =>
      own.reduce((sum, keys, id) => (id > at ? sum + keys : sum), 0) >= wanted ? 1 : 0;
    if (top >= 0) return above(top);
    return zero.reduce<number>((sum, _, at) => sum + topOdds(at) * above(at), 0);
  }

  /** The keys in stock: tested before the first window without a salt. */
  function stocked(left: number, state: State): number {
    if (left === 0) return overTops((top) => value({ ...state, top }));
    return over((id) => {
      if (isSalted) return stocked(left - 1, { ...state, open: plus(state.open, id) });
      const claims = state.claims.map((each, at) => (at === id ? plus(each, life - 1) : each));
      return p * stocked(left - 1, { ...state, claims }) + (1 - p) * stocked(left - 1, state);
    });
  }

  const claims = zero.map(() => Array.from({ length: life }, () => 0));
  return stocked(stock, { window: 0, budget, top: -1, open: zero, failed: zero, claims });
}

/** All numbers of a state are small, and each list has the same length in all states of an instance. */
function keyOf({ window, budget, top, open, failed, claims }: State): string {
  return String.fromCharCode(window, budget, top + 1, ...open, ...failed, ...claims.flat());
}

/** Whether a plan does nothing more in a window: its budget is spent, or saved for later windows. */
function isIdle({ budget, window }: State, instance: Instance): boolean {
  const { saved, epochs, property, salt, lifetime, budget: each } = instance;
  const isSalted = salt === 'puzzle' || salt === 'both';
  if (!saved) return budget === 0;
  const counting =
    isSalted && property !== 'adversary-leads-once' ? Math.min(lifetime ?? epochs, epochs) : epochs;
  const open = Math.max(0, window + 1 - (epochs - counting));
  const spendable = Math.floor((open * epochs * each) / counting);
  return budget <= (window + 1) * each - spendable;
}

/** The plans of the lab, written anew for these states. */
export const POLICIES: Readonly<Record<'fresh' | 'retest' | 'informed', Policy>> = {
  fresh: () => ({ type: 'fresh' }),
  retest: (state, instance) => {
    const best = state.open.findLastIndex((keys) => keys > 0);
    if (isEarly(state, instance) || best < 0) return madeNew(instance);
    return { type: 'test', id: best };
  },
  informed: (state, instance) => {
    const { epochs, lifetime, property } = instance;
    const life = lifetime ?? epochs;
    const isFinal = Math.floor(state.window / life) === Math.floor((epochs - 1) / life);
    const isKnown = property === 'adversary-leads-once' || isFinal || instance.salt === 'none';
    if (isEarly(state, instance) || !isKnown) return POLICIES.retest(state, instance);
    const above = state.open.findIndex((keys, id) => keys > 0 && id > state.top);
    return above < 0 ? madeNew(instance) : { type: 'test', id: above };
  },
};

function madeNew({ kind }: Instance): Action {
  return { type: kind === 'attempts' ? 'fresh' : 'make' };
}

/** Whether no claim of this window counts in the epoch that matters, so that a plan only makes keys. */
function isEarly({ window }: State, { salt, epochs, lifetime, property }: Instance): boolean {
  const isSalted = salt === 'puzzle' || salt === 'both';
  if (!isSalted || property === 'adversary-leads-once' || lifetime === null) return false;
  return window + lifetime < epochs;
}
