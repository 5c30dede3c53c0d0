/** The addresses of proxies, as DataPlanes name them too. */
export const ipFamilies = ['IPv4', 'IPv6', 'DualStack'] as const;
