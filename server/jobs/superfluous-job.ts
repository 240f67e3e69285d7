/**
 * @module
 * Which job is forgotten first when too many are kept. A caller with few jobs does not lose them to one with many.
 */

/**
 * The oldest job of the caller that keeps most, if there are too many jobs (the oldest first) or they weigh too much; else
 * null. The newest result stays.
 */
export function superfluousOf<Each extends { readonly caller: string }>(
  jobs: readonly Each[],
  keptMax: number,
  weight: { readonly weightOf: (job: Each) => number; readonly keptMax: number },
): Each | null {
  if (jobs.length > keptMax) return oldestOfMost(jobs, () => 1);
  const { weightOf } = weight;
  const candidates = jobs.filter((job) => weightOf(job) > 0);
  const whole = candidates.reduce((sum, job) => sum + weightOf(job), 0);
  if (candidates.length < 2 || whole <= weight.keptMax) return null;
  return oldestOfMost(candidates, weightOf);
}

/** The first job of the caller with the largest total weight; null if there are no jobs. */
function oldestOfMost<Each extends { readonly caller: string }>(
  jobs: readonly Each[],
  weightOf: (job: Each) => number,
): Each | null {
  const weights = new Map<string, number>();
  for (const job of jobs) weights.set(job.caller, (weights.get(job.caller) ?? 0) + weightOf(job));
  const most = Math.max(...weights.values());
  return jobs.find(({ caller }) => weights.get(caller) === most) ?? null;
}
