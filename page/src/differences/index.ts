/** What differs between two sides. A room of its own, so that pages that compare nothing load none of it. */
export { FoldedDifference, type Sides } from './line-difference.tsx';
export { WeakerList } from './weaker-list.tsx';
