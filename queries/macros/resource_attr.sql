-- macro:   resource_attr
-- purpose: the value of one attribute of the resource as text, null where it is absent:
--          resource_attr(resource, 'service.namespace')
-- reads:   attr
create or replace macro resource_attr(resource, name) as attr(resource, name);
