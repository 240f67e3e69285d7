/**
 * @module
 * What an adversary spends of its savings to raise the difficulty for honest nodes: nothing until a window, and from there
 * on whatever the greatest step costs. It takes the window with the fewest keys that honest nodes are expected to find.
 * Nothing is imported from the product.
 */

interface Game {
  readonly honest: number;
  readonly honestAttempts: number | null;
  readonly epochs: number;
  readonly lifetime: number | null;
  /** The budget of a window, and what a new key and its test take of it. */
  readonly budget: number;
  readonly costs: { readonly key: number; readonly fresh: number };
  readonly retargeting: { readonly joins: number; readonly stepBits: number } | null;
}

interface State {
  readonly epoch: number;
  readonly bits: number;
  /** Joins of honest nodes. */
  readonly joins: number;
  /** Tests. */
  readonly saved: number;
}

/** Sums this close are equal, and the earlier window is taken. */
const EQUAL = 1e-9;

export function spenderOf({ honest, honestAttempts, epochs, lifetime, ...game }: Game) {
  const { joins: target, stepBits } = game.retargeting ?? { joins: 1, stepBits: 0 };
  const income = Math.floor(game.budget / (game.costs.key + game.costs.fresh));
  const counting = Math.min(epochs, lifetime ?? epochs);

  const raise = ({ bits, joins, saved }: State): number => {
    const prices = Array.from({ length: stepBits + 1 }, (_, step) => {
      const lacking = Math.ceil(target * 2 ** (step - 0.5)) - joins;
      return lacking <= 0 ? 0 : Math.ceil((1 + Math.sqrt(lacking)) ** 2 * 2 ** bits);
    });
    return prices.findLast((price) => price <= saved) ?? saved;
  };
  const moved = (bits: number, joins: number) => {
    const step = Math.round(Math.log2(joins / target));
    return Math.max(0, bits + Math.max(-stepBits, Math.min(stepBits, step)));
  };
  const keysFrom = (begin: number, state: State): number => {
    const { epoch, bits, joins, saved } = state;
    const now = epoch + counting >= epochs ? 2 ** -bits : 0;
    if (epoch === epochs - 1) return now;
    const tests = epoch < begin ? 0 : raise(state);
    const next = moved(bits, joins + tests / 2 ** bits);
    const found = honestAttempts === null ? 1 : 1 - (1 - 2 ** -next) ** honestAttempts;
    const later = { epoch: epoch + 1, bits: next, joins: (honest * found) / counting };
    return now + keysFrom(begin, { ...later, saved: saved - tests + income });
  };
  return (state: State): number => {
    if (state.epoch === epochs - 1) return 0;
    const begins = Array.from({ length: epochs - 1 - state.epoch }, (_, at) => state.epoch + at);
    const keys = begins.map((begin) => keysFrom(begin, state));
    return keys.every((each) => (keys[0] ?? 0) <= each * (1 + EQUAL)) ? raise(state) : 0;
  };
}
