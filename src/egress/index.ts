/** Where names that users write may lead: one table of addresses and names, for control plane and data plane alike. */
export { AddressRules, isAddressRange } from './address-rules.ts';
export { addressFormsOf, embeddings } from './embedded-addresses.ts';
export { defaultClusterDomain, type HostRules, hostFault, hostRules, isBelow, isClusterName } from './host-rules.ts';
export { type AddressKind, forbiddenNames, forbiddenRanges, privateRanges } from './ranges.ts';
export { plainName, readAddress } from './read-address.ts';
