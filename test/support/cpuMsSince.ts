/** Milliseconds that this process has worked: none of those in which it had to wait for a busy machine. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
