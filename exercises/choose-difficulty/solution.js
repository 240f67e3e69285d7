export async function solve(client) {
  const { given } = await client.instance('choose-difficulty');
  const { attempts, honest, probability } = given;
  // λ/(n+λ) ≤ ε for λ = N·2^-c.
  const number = Math.ceil(Math.log2((attempts * (1 - probability)) / (honest * probability)));
  return client.submit('choose-difficulty', { type: 'number', number });
}
