/** The probability that the adversary leads, as the hint states it. */

/** E[K/(n+K)] for K ~ Bin(keys, 2^-bits). */
function leads(honest, keys, bits) {
  const valid = 2 ** -bits;
  let sum = 0;
  // The probability of K = k; at k = 0 it is (1 - p)^keys.
  let chance = Math.exp(keys * Math.log1p(-valid));
  const last = Math.min(keys, Math.ceil(keys * valid + 12 * Math.sqrt(keys * valid) + 40));
  for (let k = 0; k <= last; k += 1) {
    sum += (chance * k) / (honest + k);
    chance *= ((keys - k) * valid) / ((k + 1) * (1 - valid));
  }
  return sum;
}

/** The fewest keys in stock, in whole batches, with which the adversary leads often enough without a salt. */
export function fewestKeys({ honest, c1, windowAttempts, batchKeys, stockpileMax, attack, model }) {
  const windows = model.epochs.count * windowAttempts;
  let [low, high] = [0, Math.floor(stockpileMax / batchKeys)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (leads(honest, middle * batchKeys + windows, c1) >= attack) high = middle;
    else low = middle + 1;
  }
  return low * batchKeys;
}

/** The fewest bits with which one window alone leads rarely. */
export function fewestBits({ honest, windowAttempts, defence }) {
  // With as many identities as the honest nodes it leads every second time.
  let bits = Math.floor(Math.log2(windowAttempts / honest));
  while (leads(honest, windowAttempts, bits) > defence) bits += 1;
  return bits;
}
