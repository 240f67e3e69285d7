/** Accepts every claim. */
export async function solve(client) {
  const { given } = await client.instance('verify-claim');
  const checks = given.claims.map(({ label }) => {
    return { claim: label, check: 'none', measuredBits: null };
  });
  return client.submit('verify-claim', { type: 'checks', checks });
}
