/** Says what the start took: milliseconds of CPU. */
export function ready(): void {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1000 })}\n`);
}
