/**
 * YAML from outside, read in time that grows as its text does: files, bodies of requests, configuration. Code that reads foreign YAML
 * reads it here.
 */
export { largestAliases, largestDepth, readYaml, readYamlDocument } from './read-yaml.ts';
