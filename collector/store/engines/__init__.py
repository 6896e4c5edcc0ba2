"""What a store needs of an engine (`location`, `database`, `readers`), and the engines; `selection` chooses one."""
