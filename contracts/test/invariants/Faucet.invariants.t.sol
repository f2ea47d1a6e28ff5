// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {FaucetHandler} from "./FaucetHandler.sol";

contract FaucetInvariants is Invariant {
    FaucetHandler private handler;

    function setUp() public {
        handler = new FaucetHandler();
    }

    function invariant_noDayGivesMoreThanItsLimit() public view {
        vm.assertTrue(handler.largestDay() <= handler.DAILY_LIMIT(), "largest day");
        vm.assertEq(handler.outOfTurn(), 0, "drips out of turn");
    }

    function invariant_nobodyIsServedBeforeTheCooldown() public view {
        vm.assertTrue(handler.shortestWait() >= handler.COOLDOWN_SECONDS(), "shortest wait");
    }

    function invariant_whatWasGivenIsAllThereIs() public view {
        vm.assertEq(handler.totalSupply(), handler.given(), "supply");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](3);
        chosen[0] = handler.passTime.selector;
        chosen[1] = handler.drip.selector;
        chosen[2] = handler.attemptAtOnce.selector;
    }
}
