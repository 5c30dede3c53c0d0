/** Where names that users write may lead: one table of addresses and names, for control plane and data plane alike. */
export { type AddressFault, AddressRules, type AddressRulesOptions, isAddressRange } from './address-rules.ts';
export { addressFormsOf, embeddedAddresses, embeddings, ipv6Bytes } from './embedded-addresses.ts';
export {
  defaultClusterDomain,
  type HostFault,
  type HostRules,
  hostFault,
  hostRules,
  isBelow,
  isClusterName,
} from './host-rules.ts';
export { type AddressKind, type ForbiddenRange, forbiddenNames, forbiddenRanges } from './ranges.ts';
export { plainName, readAddress } from './read-address.ts';
