/**
 * YAML from outside, read in time that grows as its text does: files, bodies of requests, configuration. Code that reads foreign YAML
 * reads it here.
 */
export {
  largestAliases,
  largestDepth,
  type ReadDocument,
  type ReadText,
  readYaml,
  readYamlDocument,
  type YamlFault,
} from './read-yaml.ts';
