/** Prices of identities that expire, in a network whose nodes come and go. */

/** E[K/(n+K)] for K ~ Bin(attempts, 2^-bits), as the integral of e^-u (1 - (1 - p(1 - e^(-u/n)))^attempts) over u. */
function leads(honest, attempts, bits) {
  const valid = 2 ** -bits;
  const steps = 2_000;
  const width = 40 / steps;
  let sum = 0;
  for (let step = 0; step < steps; step += 1) {
    const u = (step + 0.5) * width;
    const none = Math.exp(attempts * Math.log1p(valid * Math.expm1(-u / honest)));
    sum += width * Math.exp(-u) * (1 - none);
  }
  return sum;
}

/** The fewest bits with which an adversary that keeps its identities leads rarely. */
function fewestBits({ honest, windowAttempts, probability }, lifetime) {
  const attempts = lifetime * windowAttempts;
  let bits = 0;
  while (leads(honest, attempts, bits) > probability) bits += 1;
  return bits;
}

/** The lifetime with the lowest price, if a node needs so many identities in an epoch. */
export function cheapest(given, identitiesPerEpoch) {
  const lifetimes = Array.from({ length: given.lifetimeMax }, (_, index) => index + 1);
  const choices = lifetimes.map((lifetime) => {
    const c1 = fewestBits(given, lifetime);
    const attempts = given.honest * identitiesPerEpoch(lifetime) * 2 ** c1;
    return { lifetime, c1, attempts };
  });
  return choices.toSorted((one, other) => one.attempts - other.attempts)[0];
}
