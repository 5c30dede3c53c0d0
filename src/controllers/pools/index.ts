/** Where InferencePools lead, for their own kind and for those that name them. */
export {
  keyOfPicker,
  keyOfPool,
  keyOfServers,
  type PoolObject,
  pickerServiceOf,
  protocolOf,
  targetOfPool,
} from './pool-target.ts';
