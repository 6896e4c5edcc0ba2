-- migration: prompts
-- purpose:   names the template, and its version, that the prompts of model calls and of runs were made of
alter table llm_calls add column prompt_name varchar;
alter table llm_calls add column prompt_version varchar;
alter table agent_traces add column prompt_name varchar;
alter table agent_traces add column prompt_version varchar;
