/**
 * @module
 * The integral that the closed forms share.
 */

/**
 * ∫₀^∞ e^(−u) g(u) du for an increasing g with values in [0, 1] that is bounded on the right half
 * plane: the trapezoidal rule in ln u, whose error falls like e^(−π²/h) with the step h (Trefethen and
 * Weideman 2014). The range reaches from where a g that is 1 everywhere would give 1e-19 to where
 * e^(−u) is 1e-24. If g begins like u^order, the weight moves to u = order and has a width of √order.
 */
export function laplace(g: (u: number) => number, order = 1): number {
  const step = 1 / Math.max(8, 2 * Math.sqrt(order));
  const first = Math.round(Math.log(1e-19) / step);
  const last = Math.round(Math.log(52 + 4 * order) / step);
  let sum = 0;
  for (let index = first; index <= last; index += 1) {
    const u = Math.exp(index * step);
    sum += Math.exp(-u) * g(u) * u;
  }
  return sum * step;
}
