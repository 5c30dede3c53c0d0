/** What pages are made of. */
export { Choice, chosen } from './choice.tsx';
export { Code } from './code.tsx';
export { ConditionList, conditionState } from './conditions.tsx';
export { EditLink } from './edit-link.tsx';
export { ExplainedCode } from './explained-code.tsx';
export { Fact } from './fact.tsx';
export { FailureList } from './failure-list.tsx';
export { FilterBox, fitsQuery } from './filter-box.tsx';
export { Filtered } from './filtered.tsx';
export { Grid, type GridColumn, sorted } from './grid.tsx';
export { nameColumn } from './name-column.tsx';
export { ObjectLink, placeOfObject, readRouteName } from './object-link.tsx';
export { Age, Loaded, Panel } from './panel.tsx';
export { PickList } from './pick-list.tsx';
export { pickWords } from './pick-words.ts';
export { addedUp, gathered, type Series, Spark } from './spark.tsx';
export { Badge, compareStates, Message, Name, type State, Unknown } from './state.tsx';
export { Gone, Title } from './title.tsx';
