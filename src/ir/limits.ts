/** How many ExternalAuth filters one list may have. Each has a filter of its own in every chain, which requests without authorization pass as well. */
export const maxAuthChain = 2;
